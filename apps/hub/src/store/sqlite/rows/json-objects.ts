/** Reads columns that hold JSON objects. Any other content is `STORAGE_DAMAGED`. */
import { CodedError } from '@roundhouse/backend-types'

export function readObject<T extends object>(text: unknown): T {
  const value = readJson(text)
  if (typeof value === 'object' && value !== null) return value as T
  throw new CodedError('STORAGE_DAMAGED')
}

export function readJson(text: unknown): unknown {
  try {
    return JSON.parse(String(text))
  } catch (error) {
    throw new CodedError('STORAGE_DAMAGED', undefined, undefined, error)
  }
}
