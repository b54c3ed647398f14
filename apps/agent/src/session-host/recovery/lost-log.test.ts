import { copyFileSync, existsSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs'
import { script } from '@roundhouse/adapter-scripted'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { KnownLog } from '../../log/lost-log'
import { openLogReader } from '../../log/reader'
import { type HostView, HostWorld } from '../../testing/host-world'
import { variation, wholeMatrix } from '../../testing/variation'

let world: HostWorld
beforeEach(async () => {
  world = await HostWorld.create()
})
afterEach(() => world.dispose())

const says = (text: string) => script([{ text }])
async function leave(host: HostView): Promise<void> {
  await host.client.stop('shutdown')
  await host.gone()
}
const logIdNow = () => {
  const reader = openLogReader(world.sessionDir)
  const logId = reader.logId()
  reader.close()
  return logId
}
/** As the daemon would remember a log that held more than this one does. */
const longer = (): KnownLog => ({ logId: logIdNow(), last: (world.envelopes().at(-1)?.seq ?? 0) + 5 })

describe('[REB-1] the next holder of a log that holds less than is remembered', () => {
  /** A turn that hangs and a prompt behind it, both accepted, when the host dies. */
  async function twoAccepted() {
    const launched = world.start()
    const host = await world.attach(launched)
    const first = world.create({}, script([{ text: 'Go ', hang: true }]))
    await host.client.command(first)
    await host.until(() => host.frames.length > 0)
    const second = world.prompt(says('later'))
    await host.client.command(second)
    process.kill(launched.pid, 'SIGKILL')
    await host.gone()
    await world.guardIsDone()
    return { first, second }
  }

  it('[CMD-3.1] [REB-1.14] [REB-1.16] [REB-1.17] gives it a new id, runs nothing that may have run, and empties the queue', async () => {
    const { second } = await twoAccepted()
    const known = longer()
    const host = await world.open({ known })
    expect(host.client.hello.logId).not.toBe(known.logId)
    expect(host.state).toMatchObject({ queue: [], queueHeld: false })
    expect(world.answerOf(second.commandId)).toEqual({ state: 'outcome_unknown' })
    await host.run(world.command({ kind: 'queue.release' }))
    expect(await host.run(world.prompt(says('anew')))).toEqual({ state: 'done' })
    expect(world.of('user_message').map(({ text }) => text)).not.toContain(says('later'))
  })

  variation('[CMD-5] where nothing is missing the same queue is kept', async () => {
    const { second } = await twoAccepted()
    const logId = logIdNow()
    const host = await world.open({ known: { logId, last: world.envelopes().at(-1)?.seq ?? 0 } })
    expect(host.client.hello.logId).toBe(logId)
    expect(host.state.queue).toMatchObject([{ commandId: second.commandId }])
  })

  variation('finds it lost once, also when it died before it had closed the commands', async () => {
    const { second } = await twoAccepted()
    const known = longer()
    const marked = new Database(world.files.log)
    marked.prepare("INSERT INTO meta VALUES ('logLost', '1'), ('formerLogIds', ?)").run(JSON.stringify([known.logId]))
    marked.prepare("UPDATE meta SET value = 'another-id' WHERE key = 'logId'").run()
    marked.close()
    const host = await world.open({ known })
    expect(host.client.hello.logId).toBe('another-id')
    expect(world.answerOf(second.commandId)).toEqual({ state: 'outcome_unknown' })
    await leave(host)
    expect((await world.open({ known })).client.hello.logId).toBe('another-id')
  })

  it('[RES-6.24] [F19] takes nothing from the transcript, which the hub may have, and says so', async () => {
    const launched = world.start()
    const host = await world.attach(launched)
    await host.client.command(world.create({}, script([{ count: { to: 3 } }, { text: 'Go ', hang: true }])))
    await host.until(() => host.frames.some(({ text }) => text.includes('Go')))
    process.kill(launched.pid, 'SIGKILL')
    await host.gone()
    await world.guardIsDone()
    const known = { logId: logIdNow(), last: world.envelopes().at(-1)?.seq ?? 0 }
    const torn = new Database(world.files.log)
    torn.prepare('DELETE FROM events WHERE seq = ?').run(known.last)
    torn.close()
    await world.open({ known })
    const texts = world.of('assistant_text').filter(({ partial }) => !partial)
    expect(texts.map(({ text, recovered }) => ({ text, recovered }))).toEqual([
      { text: 'line 1', recovered: undefined },
      { text: 'line 2', recovered: undefined },
    ])
    expect(world.of('system').map(({ subtype }) => subtype)).toContain('transcript_untold')
    expect(world.of('turn_completed')).toMatchObject([{ reason: 'process_exited' }])
  })

  it('[PERM-5] [REB-1.18] ends the grants: one that was taken back in the lost time would live again', async () => {
    const host = await world.open()
    await host.client.command(
      world.create({}, script([{ tool: 'Write', input: { file_path: 'x.txt', content: 'x' } }, { text: 'Done.' }])),
    )
    const [ask] = (await host.status('needs_you')).requests
    const { requestId = '', procId = '', digest = '' } = ask ?? {}
    await host.run(world.command({ kind: 'permission.decide', requestId, procId, digest, decision: 'allow_session' }))
    await host.status('idle')
    await leave(host)
    await world.open({ known: longer() })
    const grantId = world.of('permission_resolved')[0]?.grant?.grantId
    expect(world.of('grant_ended')).toEqual([{ kind: 'grant_ended', grantId, why: 'crash' }])
  })

  it('[REB-1.6] does not carry out an order that was given of the log before it', async () => {
    const host = await world.open()
    await host.client.command(world.create({}, script([{ text: 'one' }])))
    await host.status('idle')
    await leave(host)
    const known = { logId: logIdNow(), last: world.envelopes().at(-1)?.seq ?? 0 }
    truncateSync(world.files.log, statSync(world.files.log).size / 2)
    const rebase = { held: known.last - 1, to: known.last + 3, epoch: 'e', logId: known.logId }
    expect((await world.start({ mode: 'rebase', rebase, known }).exited).code).toBe(0)
    expect(logIdNow()).not.toBe(known.logId)
    expect(world.of('system')).toMatchObject([{ subtype: 'log_damaged' }])
    expect(world.envelopes().map(({ seq, kind }) => `${seq} ${kind}`)).toEqual(['1 system', '2 turn_completed'])
    const reader = openLogReader(world.sessionDir)
    expect(reader.acked()).toEqual({ upTo: 0, epoch: '' })
    reader.close()
  })

  it('makes a new one where it is gone', async () => {
    const known = { logId: 'gone', last: 9 }
    expect((await world.start({ mode: 'close', known }).exited).code).toBe(0)
    expect(logIdNow()).not.toBe('gone')
    expect(world.envelopes()).toEqual([])
  })
})

describe('[REB-1] a host whose log is taken from under it', () => {
  const replaced = () => {
    copyFileSync(world.files.log, `${world.files.log}.copy`)
    renameSync(`${world.files.log}.copy`, world.files.log)
  }
  const lost = [
    ['was deleted', () => rmSync(world.files.log)],
    ['is another file by now', replaced],
  ] as const

  it.each(wholeMatrix ? lost : lost.slice(0, 1))(
    '[REB-1.20] takes no command where the file %s, and ends',
    async (_how, lose) => {
      const host = await world.open()
      await host.run(world.create({}, says('one')))
      await host.status('idle')
      lose()
      const two = world.prompt(says('two'))
      await expect(host.client.command(two)).rejects.toMatchObject({ code: 'REQUEST_GONE' })
      expect(await host.gone()).toBeNull()
      expect(host.news.has(two.commandId)).toBe(false)
      expect(existsSync(world.files.damaged)).toBe(false)
    },
  )

  it.each(wholeMatrix ? lost : lost.slice(1))(
    '[REB-1.20] ends in the middle of a turn where the file %s: nobody would ever see the rest',
    async (_how, lose) => {
      const host = await world.open()
      const one = world.create({}, script([{ count: { to: 2_000, delayMs: 5 } }]))
      await host.client.command(one)
      await host.until(() => host.head > 8)
      lose()
      expect(await host.gone()).toBeNull()
      expect(host.news.has(one.commandId)).toBe(false)
    },
  )

  it('[REB-1.23] [REB-1.24] takes no prompt while the whole folder is away, and goes on with it when it is back', async () => {
    const host = await world.open()
    await host.run(world.create({}, says('one')))
    await host.status('idle')
    renameSync(world.sessionDir, `${world.sessionDir}.away`)
    expect(await host.client.command(world.prompt(says('two')))).toMatchObject({
      state: 'refused',
      error: { code: 'STORAGE_UNAVAILABLE' },
    })
    renameSync(`${world.sessionDir}.away`, world.sessionDir)
    expect(await host.run(world.prompt(says('three')))).toEqual({ state: 'done' })
    expect(world.of('assistant_text').map(({ text }) => text)).toEqual(['one', 'three'])
  })
})
