import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { script } from '@roundhouse/adapter-scripted'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { HostWorld } from '../testing/host-world'

const says = (text: string) => script([{ text }])
let world: HostWorld
beforeEach(async () => {
  world = await HostWorld.create()
})
afterEach(() => world.dispose())

function notes(): string {
  const folder = world.folder('notes')
  mkdirSync(join(folder, 'tester'), { mode: 0o755 })
  writeFileSync(join(folder, 'tester', 'cooking.md'), 'Salt the water of the noodles.', { mode: 0o644 })
  writeFileSync(join(folder, 'tester', 'flaky.md'), 'A flaky test waits on time.', { mode: 0o644 })
  return folder
}
const policy = (more: object) => ({ policy: { ...world.launch.policy, ...more } })
const told = () => world.of('system').flatMap(({ subtype, data }) => (subtype === 'role_notes' ? [data] : []))
const received = () => readFileSync(join(world.stateDir, world.conversationFile()), 'utf8')

it("[POL-6.1] gives a role's notes to the backend, the fitting one first, and tells which went in", async () => {
  const host = await world.open(policy({ notes: notes() }))
  await host.run(world.create({ roleId: 'tester', useBrainCore: true }, says('flaky')))
  expect(received()).toMatch(/Notes for the role tester.*## flaky.*## cooking/)
  const both = [
    { name: 'flaky.md', bytes: 27 },
    { name: 'cooking.md', bytes: 30 },
  ]
  expect(told()).toEqual([{ roleId: 'tester', notes: both, leftOut: [] }])
})

it('[POL-6.3] runs without notes where there are none, and says why', async () => {
  const host = await world.open(policy({ notes: notes() }))
  expect(await host.run(world.create({ roleId: 'nobody' }, says('one')))).toEqual({ state: 'done' })
  expect(told()).toMatchObject([{ notes: [], problem: 'The folder of notes for nobody is not there.' }])
  expect(world.of('turn_completed')).toMatchObject([{ reason: 'completed' }])
})

it('[POL-6.8] a session that wants no notes of its role gets none, and nothing is told', async () => {
  const host = await world.open(policy({ notes: notes() }))
  await host.run(world.create({ roleId: 'tester', useBrainCore: false }, says('one')))
  expect(received()).not.toContain('Notes for the role')
  expect(told()).toEqual([])
})

it('[POL-6.2] the next program gets the notes of the folder that the policy names by then', async () => {
  const host = await world.open()
  await host.run(world.create({ roleId: 'tester' }, says('one')))
  await host.client.policy(policy({ notes: notes() }).policy)
  await host.run(world.command({ kind: 'process.end' }))
  await host.run(world.prompt(says('two')))
  expect(told()).toMatchObject([
    { problem: 'The policy of this machine names no folder of notes.' },
    { notes: [{ name: 'cooking.md' }, { name: 'flaky.md' }] },
  ])
})
