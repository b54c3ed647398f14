/** Lenient reading of what a program sends: unknown keys are ignored, a wrong type reads as absent. */

export type Json = Record<string, unknown>

export const asRecord = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}

export const asText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

export const asNumber = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined

export const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

export const asTexts = (value: unknown): string[] => asList(value).filter((entry) => typeof entry === 'string')

export const isEmpty = (value: Json): boolean => Object.keys(value).length === 0

/** The object without its undefined members, so that no empty key is shown, hashed or sent. */
export function compact<T extends Json>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined && member !== null)) as T
}
