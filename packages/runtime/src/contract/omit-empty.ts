/**
 * JSON as the document's structs write it. A field that they mark `omitempty` is left out when it is empty; absent and
 * empty are the same there. A struct behind a pointer is left out only when it is absent.
 */
import { z } from 'zod'

export function omitEmpty<T extends z.ZodType>(schema: T): z.ZodOptional<T> {
  return schema.optional().overwrite((value) => (isEmpty(value) ? undefined : value) as typeof value)
}

/** A map that is not set is written as `null`. */
export const mapOf = <T extends z.ZodType>(value: T) =>
  z.preprocess((given) => given ?? {}, z.record(z.string(), value))

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '' || value === 0 || value === false) return true
  if (Array.isArray(value)) return value.length === 0
  return typeof value === 'object' && Object.keys(value).length === 0
}
