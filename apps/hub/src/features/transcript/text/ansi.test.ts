import { describe, expect, it } from 'vitest'
import { ansiSpans } from './ansi'

const ESC = '\u001b'
const textOf = (input: string) =>
  ansiSpans(input)
    .map((span) => span.text)
    .join('')

describe('ansiSpans', () => {
  it('[T69] keeps colours and weight', () => {
    expect(ansiSpans(`${ESC}[1;31mred${ESC}[0m plain ${ESC}[92mgreen`)).toEqual([
      { text: 'red', bold: true, colour: 1 },
      { text: ' plain ' },
      { text: 'green', colour: 10 },
    ])
  })

  it.each([
    ['a window title', `${ESC}]0;owned\u0007`],
    ['a hyperlink', `${ESC}]8;;https://evil.example${ESC}\\`],
    ['a clipboard write', `${ESC}]52;c;ZXZpbA==\u0007`],
    ['a device control string', `${ESC}Pq#0;2;0;0;0${ESC}\\`],
    ['cursor movement', `${ESC}[2J${ESC}[1;1H`],
    ['an unfinished sequence', `${ESC}]0;never ends`],
    ['single C1 characters', '\u009b31m\u009d'],
  ])('[T69] drops %s whole', (_name, sequence) => {
    expect(textOf(`before${sequence}`)).toMatch(/^before(31m)?$/)
    expect(textOf(`before${sequence}`)).not.toContain('evil')
  })

  it('takes 256 and true colours as no colour, not as text', () => {
    expect(textOf(`${ESC}[38;5;196mx${ESC}[48;2;1;2;3my`)).toBe('xy')
  })
})
