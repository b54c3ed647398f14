/** What holds for the text of every prompt: its size, and how the audit log tells of it. */
import { CodedError, PROMPT_LIMIT_BYTES } from '@roundhouse/backend-types'
import { sha256 } from '../common/digests'
import type { AuditEntry } from '../ports/audit-store'

export function requirePromptSize(text: string): void {
  if (Buffer.byteLength(text) > PROMPT_LIMIT_BYTES) throw new CodedError('PROMPT_TOO_LARGE')
}

/** Which text it was can be proven by whoever has it; the audit log does not hold it. */
export const promptDigest = (text: string | undefined): AuditEntry['detail'] =>
  text === undefined ? {} : { promptDigest: sha256(text) }
