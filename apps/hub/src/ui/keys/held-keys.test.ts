import { describe, expect, it } from 'vitest'
import { type HeldKeys, holdKey, type KeyStep, nothingHeld } from './held-keys'

function press(...keys: string[]): HeldKeys {
  let held = nothingHeld
  for (const key of keys) held = holdKey(held, { key, chord: false }).held
  return held
}

const step = (key: string, chord: boolean): KeyStep => holdKey({ text: 'ab', ended: false }, { key, chord })

describe('[PERM-7.17] keys held for a dialog whose code is loading', () => {
  it('[PERM-7.17] keeps letters in their order, and what Backspace takes back is gone', () => {
    expect(press('a', 's', ' ', 'd', '😀', 'x', 'Backspace', 'Backspace')).toEqual({ text: 'as d', ended: false })
    expect(press('Backspace', 'a')).toEqual({ text: 'a', ended: false })
  })

  it.each(['Enter', 'Tab'])('ends the text at %s, so that nothing is confirmed unseen', (key) => {
    expect(press('a', key, 's', 'Backspace')).toEqual({ text: 'a', ended: true })
  })

  it.each(['ArrowDown', 'Shift', 'Dead', 'Home', 'Delete'])('writes nothing for %s', (key) => {
    expect(press('a', key)).toEqual({ text: 'a', ended: false })
  })

  it('cancels the dialog at Escape, and forgets what was typed', () => {
    expect(step('Escape', false)).toEqual({ held: nothingHeld, does: 'cancel' })
  })

  it.each([
    ['r', true, 'pass'],
    ['F5', false, 'pass'],
    ['k', true, 'keep'],
    ['K', true, 'keep'],
    ['f', true, 'keep'],
    ['Enter', true, 'keep'],
  ])('leaves to the browser only what is not a shortcut of the page: %s', (key, chord, does) => {
    expect(step(key, chord)).toEqual({ held: { text: 'ab', ended: false }, does })
  })
})
