/** The part of an address that names one event. Pure. */

export const eventHash = (seq: number) => `#e-${seq}`

export function eventOfHash(hash: string): number | null {
  const seq = Number(/^#e-([1-9]\d{0,14})$/.exec(hash)?.[1])
  return Number.isSafeInteger(seq) ? seq : null
}
