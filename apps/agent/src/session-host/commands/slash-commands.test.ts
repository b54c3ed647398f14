import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { script } from '@roundhouse/adapter-scripted'
import type { SlashCommand } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readCommands, writeCommands } from '../../host-contract/commands-file'
import { createRedactor } from '../../redact/redactor'
import { HostWorld } from '../../testing/host-world'

let world: HostWorld
beforeEach(async () => {
  world = await HostWorld.create()
})
afterEach(() => world.dispose())

const refused = {
  state: 'refused',
  error: { code: 'POLICY_DENIED', details: { rule: 'slashCommands', command: 'policy' } },
}

describe('[CMD-9.3] a command that changes what the policy governs', () => {
  it('is refused with the rule, as a prompt and as the first one, and leaves nothing in the log; it is text where it stands in a text, and where it is a path', async () => {
    const host = await world.open()
    expect(await host.client.command(world.create({}, '/policy all'))).toMatchObject(refused)
    await host.run(world.create())
    expect(await host.client.command(world.prompt('/policy all'))).toMatchObject(refused)
    expect(world.kinds()).toEqual(['session_created'])
    for (const text of ['read /policy', '/policy/all is wrong', '/other']) {
      await host.run(world.prompt(`${text} ${script([{ text: 'Read.' }])}`))
    }
    expect(world.of('turn_completed').map(({ reason }) => reason)).toEqual(Array(3).fill('completed'))
  })

  it('is refused into a running turn, and as an edit of a prompt that waits', async () => {
    const host = await world.open()
    await host.run(world.create())
    const first = world.prompt(script([{ text: 'Busy ', hang: true }]))
    await host.client.command(first)
    await host.until(() => host.state.turnId)
    expect(await host.client.command(world.prompt('/policy all', { steer: true }))).toMatchObject(refused)
    await host.client.command(world.prompt(script([{ text: 'Later.' }])))
    const [entry] = (await host.until(() => host.state.queue.length === 1 && host.state)).queue
    const { promptId = '', rev = 0 } = entry ?? {}
    const edit = world.command({ kind: 'queue.edit', promptId, rev, text: '/policy all' })
    expect(await host.client.command(edit)).toMatchObject(refused)
  })
})

it('[CMD-9.10] keeps what the program offers beside its log, for as long as the session lives', async () => {
  const host = await world.open()
  await host.run(world.create())
  expect(readCommands(world.files.commands)).toBeNull()
  await host.run(world.prompt(script([{ text: 'Hello.' }])))
  expect(readCommands(world.files.commands)?.commands.map(({ name }) => name)).toEqual(['script', 'tour'])
})

describe('[CMD-9.11] a list of commands of which one is none', () => {
  const kept = { name: 'kept', description: 'Stays' }
  const told = [
    kept,
    { name: 'named', description: 'Has a bad second name', aliases: ['', 'good', 'x'.repeat(300)] },
    { name: '', description: 'Has no name' },
    { name: 'wordy', description: 'w'.repeat(500), argumentHint: 'h'.repeat(500), aliases: Array(20).fill('a') },
    null,
  ]
  const file = () => path.join(mkdtempSync(path.join(os.tmpdir(), 'rh-')), 'commands.json')

  it.each([
    ['as a host writes it', (at: string) => writeCommands(at, told as SlashCommand[], createRedactor([]))],
    ['as one of an earlier release wrote it', (at: string) => writeFileSync(at, JSON.stringify({ commands: told }))],
  ])('loses that one, or what is wrong with it, %s', (_how, write) => {
    const at = file()
    write(at)
    expect(readCommands(at)).toEqual({
      commands: [
        kept,
        { name: 'named', description: 'Has a bad second name', aliases: ['good'] },
        { name: 'wordy', description: 'w'.repeat(400), argumentHint: 'h'.repeat(200), aliases: Array(16).fill('a') },
      ],
    })
    rmSync(path.dirname(at), { recursive: true })
  })

  it('says that it is not all where there are more than 400', () => {
    const at = file()
    const many = Array.from({ length: 401 }, (_, n) => ({ name: `c${n}`, description: '' }))
    writeCommands(at, many, createRedactor([]))
    expect(readCommands(at)).toEqual({ commands: many.slice(0, 400), complete: false })
    rmSync(path.dirname(at), { recursive: true })
  })
})
