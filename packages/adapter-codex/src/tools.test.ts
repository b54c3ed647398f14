import { expect, it } from 'vitest'
import { codexTools } from './tools'

const changes = [
  { path: '/a', diff: '+x' },
  { path: '/b', diff: '-y' },
]

it.each([
  ['commandExecution', { command: "/bin/bash -lc 'npm test'" }, { verb: 'Run', command: 'npm test' }],
  ['fileChange', { changes }, { verb: 'Edit', wish: 'edit 2 files', paths: ['/a', '/b'] }],
  ['webSearch', { query: 'zod' }, { verb: 'Search', object: 'zod' }],
  ['imageView', { path: '/a/b.png' }, { verb: 'Look at', paths: ['/a/b.png'] }],
  ['sleep', { durationMs: 1_500 }, { verb: 'Wait', object: '1.5 s' }],
  ['spawnAgent', { agent: '/root/helper' }, { verb: 'Sub-agent', object: 'helper' }],
  ['spawnAgent', { prompt: 'Read it.\nAll.' }, { verb: 'Sub-agent', object: 'Read it.' }],
  ['request_user_input', { questions: [{ question: 'Which?' }] }, { verb: 'Question', object: 'Which?' }],
  ['writeStdin', { command: 'y' }, { verb: 'writeStdin', object: 'y' }],
])('puts a %s call in words', (toolName, input, words) => {
  expect(codexTools.describeTool(toolName, input)).toMatchObject(words)
})
