// Exact grants of the release in which the model's words about its own command were part of what is compared (PERM-5).
import { readFileSync } from 'node:fs'
import { type Step, script } from '@roundhouse/adapter-scripted'
import type { PermissionAsk } from '@roundhouse/backend-types'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { HostWorld } from '../../testing/host-world'
import { actionDigestOf } from './digest'

let world: HostWorld
beforeEach(async () => {
  world = await HostWorld.create()
})
afterEach(() => world.dispose())

const run = (description: string): Step => ({
  tool: 'Bash',
  input: { command: 'mkdir -p made', description },
  output: 'ok',
  ask: true,
})

/** As that release wrote it into the session's file. */
function leaveGrant(input: unknown): void {
  const key = Buffer.from(readFileSync(world.launch.digestKeyPath, 'utf8').trim(), 'hex')
  const actionDigest = actionDigestOf({ tool: 'Bash', input, cwd: world.workDir, files: [], places: [] }, key)
  const grant = { grantId: 'g', scope: { kind: 'exact' }, label: 'exactly this action', actionDigest }
  const db = new Database(world.files.log)
  db.prepare('INSERT INTO grants (grantId, row) VALUES (?, ?)').run(
    'g',
    JSON.stringify({ ...grant, expiresAt: Date.now() + 3_600_000 }),
  )
  db.close()
}

it('[PERM-5] a grant from before answers the action with the words that it was given for, and no other words', async () => {
  const first = await world.open()
  await first.run(world.create({}, script([{ text: 'Here.' }])))
  await first.client.stop('shutdown')
  await first.gone()
  leaveGrant(run('Make a folder').input)

  const host = await world.open()
  await host.client.command(world.prompt(script([run('Make a folder'), run('Other words'), { text: 'Done.' }])))
  const isOther = ({ input }: PermissionAsk) => JSON.stringify(input).includes('Other words')
  await host.until(() => host.state.requests.find(isOther))
  expect(world.of('permission_resolved')).toEqual([
    expect.objectContaining({ outcome: 'applied', by: { grantId: 'g', label: 'exactly this action' } }),
  ])
})
