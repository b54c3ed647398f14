import { CodedError } from '@roundhouse/backend-types'

/** A conditional change of what the decision has just seen: where it is not there any more, the file contradicts itself. */
export function requireOne({ changes }: { changes: number }): void {
  if (changes !== 1) throw new CodedError('STORAGE_DAMAGED')
}
