import { expect, it } from 'vitest'
import { claudeTools } from './tools'
import { isShell } from './wire/command-hook'

it.each([
  ['Bash', { command: 'npm test\nnpm run build' }, { verb: 'Run', command: 'npm test\nnpm run build' }],
  ['Read', { file_path: '/a/b.ts' }, { verb: 'Read', paths: ['/a/b.ts'] }],
  ['Write', { file_path: '/a/b.ts', content: 'x' }, { verb: 'Write', paths: ['/a/b.ts'] }],
  ['Edit', { file_path: '/a/b.ts', old_string: 'x', new_string: 'y' }, { verb: 'Edit', paths: ['/a/b.ts'] }],
  ['MultiEdit', { file_path: '/a/b.ts', edits: [] }, { verb: 'MultiEdit', object: '/a/b.ts' }],
  ['Grep', { pattern: 'x+' }, { verb: 'Search', object: 'x+' }],
  ['WebFetch', { url: 'https://a.example' }, { verb: 'Fetch', object: 'https://a.example' }],
  ['Task', { description: 'Explore', prompt: 'Read it.' }, { verb: 'Sub-agent', object: 'Explore' }],
  ['AskUserQuestion', { questions: [{ question: 'Which?' }] }, { verb: 'Question', object: 'Which?' }],
  ['ExitPlanMode', { plan: '# The plan\n\n1. Go' }, { verb: 'Plan', object: 'Go' }],
  ['mcp__db__query', { sql: 'select 1' }, { verb: 'db: query', object: 'select 1' }],
])('puts a %s call in words', (toolName, input, words) => {
  expect(claudeTools.describeTool(toolName, input)).toMatchObject(words)
})

it('[PERM-11] knows the command of every tool that runs some: the rules to ask are held against it', () => {
  const commands = Object.entries(claudeTools.inputShapes).filter(([, shape]) => shape.kind === 'command')
  const names = commands.map(([name]) => name)
  expect(names.every(isShell)).toBe(true)
  expect(['Bash', 'Monitor', 'PowerShell'].filter(isShell).sort()).toEqual(names.sort())
})
