/**
 * T70: a page of another site that opens a socket here is worth a row in the audit log, but not endless ones: nobody
 * who has no login fills it from outside.
 */
import type { IncomingMessage } from 'node:http'
import type { ErrorCode } from '@roundhouse/backend-types'
import { type GatewayServices, refusalOf, stranger } from '../../core'

const ROWS = 20
const WINDOW_MS = 60_000

export interface Refusal {
  code: ErrorCode
  request: IncomingMessage
}

export function createForeignAudit(core: Pick<GatewayServices, 'audit'>, now: () => number = () => performance.now()) {
  let told: number[] = []
  return ({ code, request }: Refusal, address: string): void => {
    if (code !== 'ORIGIN_NOT_ALLOWED' || request.headers.origin === undefined) return
    told = told.filter((at) => at > now() - WINDOW_MS)
    if (told.length >= ROWS) return
    told.push(now())
    const detail = { origin: String(request.headers.origin ?? '').slice(0, 200) }
    void core.audit(refusalOf(stranger(address), 'socket.refused', undefined, detail)).catch(() => {})
  }
}
