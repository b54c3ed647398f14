/** A complete fingerprint, as people see and paste it. */

/** Groups of four, for eyes. */
export const inGroups = (fingerprint: string): string => fingerprint.match(/.{1,4}/g)?.join(' ') ?? ''

/** A fingerprint as a person pasted it, or null when it is not a whole one. */
export function readFingerprint(text: string): string | null {
  const hex = text.replace(/[\s:]/g, '').toLowerCase()
  return /^[0-9a-f]{64}$/.test(hex) ? hex : null
}
