import { describe, expect, it } from 'vitest'
import { shownMembers } from './members'

describe('shownMembers', () => {
  it('shows short members as a line each, and the others as JSON', () => {
    expect(
      shownMembers([
        ['description', 'Build it'],
        ['replace_all', true],
        ['env', { A: '1' }],
      ]),
    ).toEqual({
      lines: [
        ['description', 'Build it'],
        ['replace_all', 'true'],
      ],
      json: '{\n  "env": {\n    "A": "1"\n  }\n}',
    })
  })

  it('quotes a text that could be taken for something else', () => {
    const odd = [
      'true',
      'null',
      '12',
      '',
      ' led',
      'two  spaces',
      'end ',
      'a: b',
      '"quoted"',
      'tab\t',
      'zero\u200bwidth',
    ]
    const { lines } = shownMembers(odd.map((value, index) => [`m${index}`, value]))
    expect(lines.map(([, shown]) => shown)).toEqual(odd.map((value) => JSON.stringify(value)))
  })

  it('[PERM-7.1] loses no member, however long or odd', () => {
    const { lines, json } = shownMembers([
      ['x'.repeat(60), 'short'],
      ['long', 'y'.repeat(300)],
      ['two\nlines', 'a\nb'],
      ['nothing', null],
    ])
    expect(lines).toEqual([
      ['two\nlines', '"a\\nb"'],
      ['nothing', 'null'],
    ])
    expect(Object.keys(JSON.parse(json ?? ''))).toEqual(['x'.repeat(60), 'long'])
  })

  it('has nothing to say about nothing', () => {
    expect(shownMembers([])).toEqual({ lines: [], json: null })
  })
})
