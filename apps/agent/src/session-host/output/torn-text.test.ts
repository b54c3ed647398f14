/** Texts beside the events that a disk changed, in a log whose pages agree. */
import { existsSync } from 'node:fs'
import { script } from '@roundhouse/adapter-scripted'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type HostView, HostWorld } from '../../testing/host-world'
import { variation } from '../../testing/variation'

let world: HostWorld
beforeEach(async () => {
  world = await HostWorld.create()
})
afterEach(() => world.dispose())

const says = (text: string) => script([{ text }])
const change = (sql: string) => {
  const db = new Database(world.files.log)
  db.exec(sql)
  db.close()
}
async function asleep(): Promise<HostView> {
  const host = await world.open()
  await host.run(world.create())
  await host.run(world.prompt(says('one')))
  await host.client.stop('shutdown')
  await host.gone()
  return host
}

describe('[REB-4.21] a log with a text that cannot be understood', () => {
  it('is damaged where a command that waits is that text: the next host goes on with another log', async () => {
    await asleep()
    const torn = `INSERT INTO inbox VALUES ('torn', 9, 'session.resume', '{"commandId":"tor', 'accepted', NULL, 1)`
    change(torn)
    const failed = world.start()
    expect((await failed.exited).code).not.toBe(0)
    expect(existsSync(world.files.damaged)).toBe(true)
    const host = await world.open()
    await host.run(world.prompt(says('two')))
    expect(world.of('system').map(({ subtype }) => subtype)).toContain('log_damaged')
  })

  variation(
    'is damaged where the settings are that text, and their copy beside the log stays what it was',
    async () => {
      await asleep()
      change(`UPDATE meta SET value = substr(value, 1, 20) WHERE key = 'settings'`)
      expect((await world.start().exited).code).not.toBe(0)
      const host = await world.open()
      expect(await host.run(world.prompt(says('two')))).toEqual({ state: 'done' })
      expect(world.of('system').map(({ subtype }) => subtype)).toContain('log_damaged')
    },
  )

  it('is damaged where a repeated command is answered from it, and is not answered INTERNAL', async () => {
    await asleep()
    const host = await world.open()
    const refused = world.prompt(says('never'))
    change(`INSERT INTO inbox VALUES ('${refused.commandId}', 9, 'prompt.send', '{}', 'refused', '{"code":"DISK_F', 1)`)
    const answer = await host.client.command(refused).catch((error: { code: string }) => error.code)
    expect(answer).toBe('REQUEST_GONE')
    expect(existsSync(world.files.damaged)).toBe(true)
  })
})
