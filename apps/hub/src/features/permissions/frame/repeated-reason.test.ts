import { expect, it } from 'vitest'
import { isRepeated } from './repeated-reason'

it.each([
  ['npm test', { command: 'npm test' }, true],
  ['Run `npm test`.', { command: 'npm test' }, true],
  ['npm test', { command: "/bin/bash -lc 'npm test'" }, true],
  ['Runs the tests', { command: 'npm test', description: 'Runs the tests' }, true],
  ['To see whether it works', { command: 'npm test' }, false],
  ['notes.md', { file_path: '/code/notes.md', content: 'a' }, true],
  ['Touches /code/notes.md', { file_path: '/code/notes.md' }, false],
  ['Run', { command: 'npm test' }, false],
  ['npm test', undefined, false],
  ['npm test', { command: ['npm test'] }, false],
])('%j says nothing new beside %j: %s', (reason, input, expected) => {
  expect(isRepeated(reason, input)).toBe(expected)
})
