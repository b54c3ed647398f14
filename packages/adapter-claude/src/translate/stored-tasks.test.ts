import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { storedTasks } from './stored-tasks'

const ONE = '11111111-1111-4111-8111-111111111111'
let home = ''
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'claude-tasks-'))
  const folder = join(home, '.claude', 'tasks', ONE)
  await mkdir(join(folder, '3.json'), { recursive: true })
  const write = (name: string, task: unknown) => writeFile(join(folder, name), JSON.stringify(task))
  await write('10.json', { id: '10', subject: 'Check', status: 'pending' })
  await write('2.json', { id: '2', subject: 'Write', status: 'in_progress' })
  await write('1.json', { id: '1', subject: 'Read', status: 'completed' })
  await write('4.json', { id: '4', subject: 'Strange', status: 'new word' })
  await write('6.json', { id: '6', subject: 'x'.repeat(300_000), status: 'pending' })
  await write('.lock', {})
  await writeFile(join(folder, '5.json'), 'no JSON')
  await symlink(join(folder, '1.json'), join(folder, '7.json'))
})
afterAll(() => rm(home, { recursive: true, force: true }))

it('the stored tasks of a conversation are read in their order; what is no task is left out', async () => {
  expect(await storedTasks({ HOME: home }, ONE)).toEqual([
    ['1', { text: 'Read', status: 'completed' }],
    ['2', { text: 'Write', status: 'in_progress' }],
    ['10', { text: 'Check', status: 'pending' }],
  ])
})

it('a conversation without tasks has none, and a name that is no id is no path', async () => {
  expect(await storedTasks({ HOME: home }, '22222222-2222-4222-8222-222222222222')).toEqual([])
  expect(await storedTasks({ HOME: home }, `../tasks/${ONE}`)).toEqual([])
  expect(await storedTasks({}, ONE)).toEqual([])
})
