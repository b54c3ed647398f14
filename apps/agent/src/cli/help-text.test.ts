import { expect, it } from 'vitest'
import { publishWords } from './arguments'
import { helpOn } from './help-text'

const heads = (text: string) => text.split('\n').filter((line) => /^ {2}[a-z]/.test(line))

it('the help of a command is what it takes and does, and nothing of the others', () => {
  expect(heads(helpOn('run'))).toEqual([expect.stringMatching(/^ {2}run <prompt>/)])
  expect(helpOn('run')).toContain('Exit code')
  expect(heads(helpOn('publish'))).toHaveLength(2)
  expect(heads(helpOn('publish'))[0]).toBe(`  publish ${Object.keys(publishWords).join('|')} <json>`)
  expect(heads(helpOn('status'))).toEqual(['  status'])
  expect(helpOn('stop')).not.toContain('All data is in')
})

it('without a command, or with one that does not exist, it is the help of all', () => {
  expect(helpOn('fly')).toBe(helpOn())
  expect(heads(helpOn()).length).toBeGreaterThan(15)
})
