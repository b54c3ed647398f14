/** Where sessions lie in the tables, inside a Prisma transaction: each is found once. */
import { CodedError } from '@roundhouse/backend-types'
import type { Tx } from './prisma-values'

export class SessionKeys {
  readonly #known = new Map<string, number>()

  constructor(private readonly tx: Tx) {}

  note(sessionId: string, pk: number): void {
    this.#known.set(sessionId, pk)
  }

  async pkOf(sessionId: string): Promise<number> {
    const known = this.#known.get(sessionId)
    if (known !== undefined) return known
    const row = await this.tx.session.findUnique({ where: { sessionId }, select: { pk: true } })
    if (!row) throw new CodedError('INTERNAL', undefined, undefined, new Error(`no session ${sessionId}`))
    this.note(sessionId, row.pk)
    return row.pk
  }
}
