/** The keys that a person types for a dialog whose code is still loading. Pure; `key-hold.ts` listens. */

export interface HeldKeys {
  text: string
  /** After Enter or Tab the text is complete: later keys were meant for something that is not there yet. */
  ended: boolean
}

export interface PressedKey {
  key: string
  /** Ctrl, Cmd or Alt is down, and the key writes no letter. */
  chord: boolean
}

export interface KeyStep {
  held: HeldKeys
  /** `pass`: the browser may act on the key. In every case the page does not hear it. */
  does: 'keep' | 'cancel' | 'pass'
}

export const nothingHeld: HeldKeys = { text: '', ended: false }

/** Shortcuts of the page itself; what else is pressed with Ctrl or Cmd belongs to the browser. */
const ownChords = new Set(['enter', 'k', 'f'])

export function holdKey(held: HeldKeys, { key, chord }: PressedKey): KeyStep {
  if (chord) return { held, does: ownChords.has(key.toLowerCase()) ? 'keep' : 'pass' }
  if (key === 'Escape') return { held: nothingHeld, does: 'cancel' }
  if (/^F\d+$/.test(key)) return { held, does: 'pass' }
  return { held: held.ended ? held : typed(held, key), does: 'keep' }
}

function typed(held: HeldKeys, key: string): HeldKeys {
  const letters = [...held.text]
  if (key === 'Enter' || key === 'Tab') return { ...held, ended: true }
  if (key === 'Backspace') return { ...held, text: letters.slice(0, -1).join('') }
  return [...key].length === 1 ? { ...held, text: held.text + key } : held
}
