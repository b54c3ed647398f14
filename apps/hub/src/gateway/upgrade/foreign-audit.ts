/**
 * T70: the audit log records that a page of another site opened a socket. It limits the number of these rows, so that a caller
 * without a login cannot fill the log.
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
