/** What a row of the audit log tells beside its columns. The text itself is what its hash covers. */
import { readJson } from './json-objects'

export const readFacts = (detail: string | null): Record<string, unknown> =>
  detail === null ? {} : (readJson(detail) as Record<string, unknown>)
