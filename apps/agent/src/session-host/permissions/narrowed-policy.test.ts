import { mkdirSync, renameSync, symlinkSync } from 'node:fs'
import { script } from '@roundhouse/adapter-scripted'
import type { SessionSettings } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { HostPolicy } from '../../host-contract/launch-spec'
import { type HostView, HostWorld } from '../../testing/host-world'
import { wholeMatrix } from '../../testing/variation'

let world: HostWorld
beforeEach(async () => {
  world = await HostWorld.create()
})
afterEach(() => world.dispose())

const says = (text: string) => script([{ text }])
const wide = (): HostPolicy => ({
  ...world.launch.policy,
  maxSandbox: 'full-access',
  allowBypassPermissions: true,
  acceptHubRules: true,
  trustProjectConfig: true,
  hubEnvAllow: ['EXTRA_*'],
})
const refused = (code: string, rule?: string) => ({
  state: 'refused',
  error: { code, ...(rule === undefined ? {} : { details: { rule } }) },
})
async function leave(host: HostView): Promise<void> {
  await host.client.stop('shutdown')
  await host.gone()
}

describe('[POL-1.6] [POL-1.7] a session that was made under a wider policy', () => {
  const cases: Array<[rule: string, settings: Partial<SessionSettings>, narrow: Partial<HostPolicy>]> = [
    ['backends', {}, { backends: ['claude'] }],
    ['maxSandbox', { sandbox: 'full-access' }, { maxSandbox: 'workspace-write' }],
    ['allowBypassPermissions', { mode: 'bypassPermissions' }, { allowBypassPermissions: false }],
    ['acceptHubRules', { allowedTools: ['Bash'] }, { acceptHubRules: false }],
    ['hubEnvAllow', { env: { EXTRA_ONE: '1' } }, { hubEnvAllow: [] }],
  ]

  it.each(wholeMatrix ? cases : cases.slice(1, 3))(
    'is refused by the rule %s, starts nothing, and says why',
    async (rule, settings, narrow) => {
      const first = await world.open({ policy: wide() })
      await first.run(world.create(settings))
      await leave(first)
      const host = await world.open({ policy: { ...wide(), ...narrow } })
      const prompt = world.prompt(says('No.'))
      expect(await host.run(prompt)).toMatchObject(refused('POLICY_DENIED', rule))
      expect(world.answerOf(prompt.commandId)).toMatchObject(refused('POLICY_DENIED', rule))
      expect(await host.run(world.command({ kind: 'session.resume' }))).toMatchObject(refused('POLICY_DENIED', rule))
      expect((await host.status('resumable')).status).toMatchObject({ error: { code: 'POLICY_DENIED' } })
      // Said once, however often it is tried.
      expect(world.kinds()).toEqual(['session_created', 'process_exited'])
      expect(world.of('process_exited')[0]).toMatchObject({ cause: 'start_failed', error: { code: 'POLICY_DENIED' } })
      expect(world.record().procs).toEqual([])
    },
  )

  it('is refused while the machine is paused, and while the version of its program is not allowed', async () => {
    const host = await world.open({ policy: wide() })
    await host.run(world.create({}, says('one')))
    await host.client.policy({ ...wide(), paused: true })
    expect(await host.run(world.prompt(says('No.')))).toMatchObject(refused('POLICY_DENIED', 'paused'))
    await host.client.policy({ ...wide(), wrongVersions: { scripted: 'It is too new.' } })
    expect(await host.run(world.prompt(says('No.')))).toMatchObject(refused('BACKEND_VERSION'))
    const { status } = await host.status('resumable')
    expect(status).toMatchObject({ error: { code: 'BACKEND_VERSION', message: 'It is too new.' } })
    expect(world.record().procs).toEqual([])
    await host.client.policy(wide())
    expect(await host.run(world.prompt(says('two')))).toEqual({ state: 'done' })
  })

  it('is refused where its folder is outside by now, and goes on when it is allowed again', async () => {
    const host = await world.open({ policy: wide() })
    await host.run(world.create({}, says('one')))
    await host.client.policy({ ...wide(), roots: [world.folder('elsewhere')] })
    expect(await host.run(world.prompt(says('No.')))).toMatchObject(refused('PATH_NOT_ALLOWED'))
    // Its program was at rest and ends: nothing of it may run here.
    const { status } = await host.status('resumable')
    expect(status).toMatchObject({ error: { message: expect.stringContaining('roundhouse-agent allow') } })
    expect(world.record().procs).toEqual([])
    await host.client.policy(wide())
    expect(await host.run(world.prompt(says('two')))).toEqual({ state: 'done' })
    expect(world.of('assistant_text').map(({ text }) => text)).toEqual(['one', 'two'])
  })

  it('[A25] is refused when its folder has become another one', async () => {
    const host = await world.open({ policy: wide() })
    await host.run(world.create())
    renameSync(world.workDir, `${world.workDir}-before`)
    mkdirSync(`${world.workDir}-before/inner`)
    symlinkSync(`${world.workDir}-before/inner`, world.workDir)
    await host.client.policy({ ...wide(), roots: [world.workDir, `${world.workDir}-before`] })
    expect(await host.run(world.prompt(says('No.')))).toMatchObject(refused('PATH_NOT_ALLOWED'))
  })

  it('[CMD-5] keeps what waits in its queue when the turn before it ends, and starts it by a word once it may', async () => {
    const host = await world.open({ policy: wide() })
    const asks = script([{ tool: 'Write', input: { file_path: 'x.txt', content: 'x' } }, { text: 'Done.' }])
    await host.client.command(world.create({ sandbox: 'full-access' }, asks))
    const [ask] = (await host.status('needs_you')).requests
    const waiting = world.prompt(says('waited'))
    await host.client.command(waiting)
    await host.client.policy({ ...wide(), maxSandbox: 'read-only' })
    const { requestId = '', procId = '', digest = '' } = ask ?? {}
    await host.run(world.command({ kind: 'permission.decide', requestId, procId, digest, decision: 'deny' }))
    const state = await host.status('resumable')
    expect(state).toMatchObject({ queueHeld: true, queue: [{ commandId: waiting.commandId }] })
    expect(state.status).toMatchObject({ error: { code: 'POLICY_DENIED' } })
    expect(world.of('turn_completed').map(({ reason }) => reason)).toEqual(['completed'])
    const release = () => host.run(world.command({ kind: 'queue.release' }))
    expect(await release()).toMatchObject(refused('POLICY_DENIED', 'maxSandbox'))
    await host.client.policy(wide())
    await release()
    expect(await host.result(waiting.commandId)).toEqual({ state: 'done' })
    expect(world.of('assistant_text').at(-1)?.text).toBe('waited')
  })

  it('may still be configured towards what is allowed', async () => {
    const host = await world.open({ policy: wide() })
    await host.run(world.create({ sandbox: 'full-access' }))
    await host.client.policy({ ...wide(), maxSandbox: 'read-only' })
    const change = (sandbox: 'workspace-write' | 'read-only') =>
      host.run(world.command({ kind: 'session.configure', changes: { sandbox } }))
    expect(await change('workspace-write')).toMatchObject(refused('POLICY_DENIED', 'maxSandbox'))
    expect(await change('read-only')).toEqual({ state: 'done' })
    expect(await host.run(world.prompt(says('now')))).toEqual({ state: 'done' })
  })
})
