import { expect, it } from 'vitest'
import { markerOf } from './markers'
import { plainNames } from './names'

const told = (data: unknown) => markerOf({ kind: 'system', subtype: 'role_notes', data }, plainNames)
const notes = [
  { name: 'style.md', bytes: 54 },
  { name: 'traps.md', bytes: 24_600, cut: true },
]

it('[POL-6.3] the transcript names the notes that went in with their sizes, and those that did not with the reason', () => {
  const leftOut = [{ name: 'key.md', why: 'it leads out of the folder of notes' }]
  expect(told({ roleId: 'reviewer', notes, leftOut })).toEqual({
    tone: 'quiet',
    text: 'The program got notes of the role reviewer: style.md (54 B), traps.md (25 kB, cut)',
    detail: 'Left out:\nkey.md: it leads out of the folder of notes',
  })
  expect(told({ roleId: 'reviewer', notes: [], leftOut: [] })?.text).toBe(
    'The program got no notes of the role reviewer: there are none',
  )
})

it('[POL-6.3] the transcript says why there are no notes', () => {
  const problem = 'The folder of notes for nobody is not there.'
  expect(told({ roleId: 'nobody', notes: [], leftOut: [], problem })).toEqual({
    tone: 'needs',
    text: `The program runs without notes of the role nobody. ${problem}`,
  })
})

it('data of another version breaks no page', () => {
  expect(told({ roleId: 'x', notes: 'many', leftOut: [null] })?.text).toContain('the role x')
})

it('the warning of a full context says what is used, what is the limit and how far it is', () => {
  const warning = { threshold: 142_800, maxOutputTokens: 32_000 }
  const said = (used: number) =>
    markerOf(
      { kind: 'token_budget_warning', used, hardLimit: 168_000, distanceToHard: 168_000 - used, ...warning },
      plainNames,
    )?.text
  expect(said(150_000)).toBe('The conversation fills 89 % of what the model can hold: 150k of 168k tokens, 18k left')
  expect(said(170_000)).toContain('170k of 168k tokens, 2k too many')
})
