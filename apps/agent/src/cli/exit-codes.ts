/** The exit codes, for the program that started the agent. */
import type { ErrorCode } from '@roundhouse/backend-types'

export const OK = 0
export const FAILED = 1
const USAGE = 2

const codes: Partial<Record<ErrorCode, number>> = {
  INVALID_ARGUMENT: USAGE,
  ALREADY_RUNNING: 3,
  STATE_UNWRITABLE: 4,
  AUTH_REQUIRED: 5,
  AGENT_REVOKED: 6,
  HUB_KEY_MISMATCH: 7,
  ENROLLMENT_INVALID: 8,
}

export const exitCodeOf = (code: ErrorCode): number => codes[code] ?? FAILED
