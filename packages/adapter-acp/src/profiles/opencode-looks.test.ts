import { expect, it } from 'vitest'
import { harmlessCall } from './opencode-looks'

const placeOf = (toolName: string, input: object) => harmlessCall({ toolName, input }, '/code')?.reads

it('[PERM-14] OpenCode leaves a look at one place to the host, and nothing else', () => {
  expect(placeOf('read', { filePath: '/code/a.txt', offset: 3 })).toBe('/code/a.txt')
  expect(placeOf('grep', { pattern: 'word', path: 'src' })).toBe('src')
  expect(placeOf('grep', { pattern: 'word', include: '*.ts' })).toBe('/code')
  expect(placeOf('glob', { pattern: '**/*.ts' })).toBe('/code')
  expect(placeOf('list', {})).toBe('/code')
  for (const pattern of ['../*', '/etc/*', 'src/../../*']) expect(placeOf('glob', { pattern })).toBeUndefined()
  expect(placeOf('read', { filePath: '/code/a.txt', other: 'x' })).toBeUndefined()
  expect(placeOf('read', { filePath: ['/code/a.txt'] })).toBeUndefined()
  expect(placeOf('bash', { command: 'ls' })).toBeUndefined()
  expect(placeOf('external_directory', { parentDir: '/etc' })).toBeUndefined()
})
