/** Rules for the text of every prompt: its size, and its entry in the audit log. */
import { CodedError, PROMPT_LIMIT_BYTES } from '@roundhouse/backend-types'
import { sha256 } from '../common/digests'
import type { AuditEntry } from '../ports/audit-store'

export function requirePromptSize(text: string): void {
  if (Buffer.byteLength(text) > PROMPT_LIMIT_BYTES) throw new CodedError('PROMPT_TOO_LARGE')
}

/** The digest proves which text it was to anybody who has the text. The audit log does not hold the text. */
export const promptDigest = (text: string | undefined): AuditEntry['detail'] =>
  text === undefined ? {} : { promptDigest: sha256(text) }
