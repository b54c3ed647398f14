/** The queries of the bridge on the hub, from outside, on the real programs: each method, and each refusal. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { QueryRequest } from '@roundhouse/backend-types'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeMcpConfig } from '../../packages/adapter-testkit/src/real-bench'
import { until } from '../support/common/until'
import { missingReason, type RealBackend } from '../support/processes/backends'
import { type Rig, startRig } from '../support/rigs/rig'
import { wholeMatrix } from '../support/rigs/whole-matrix'
import { changePolicy } from './change-policy'
import { freshPath, own, Resumed } from './resumed'

const missing = await missingReason('claude')

describe.skipIf(missing !== null).each(['claude', 'codex'] satisfies RealBackend[])(
  `[%s] a query${missing === null ? '' : ` (${missing})`}`,
  (kind) => {
    let rig: Rig
    let session: Resumed
    beforeAll(async () => {
      rig = await startRig({ kind })
      await changePolicy(rig, { trustProjectConfig: true })
      const conf = path.join(rig.system.workDir, 'conf')
      mkdirSync(conf)
      session = await Resumed.begun(rig, { mcpConfigPath: writeMcpConfig(conf, 'sums') })
    })
    afterAll(() => rig.dispose())

    const query = <M extends QueryRequest['method']>(request: Extract<QueryRequest, { method: M }>) =>
      rig.rest.query<M>(session.sessionId, request)
    const settled = (command: { commandId: string }) =>
      until('the command to be over', async () => {
        const { commands } = await session.session()
        const one = commands.find(({ commandId }) => commandId === command.commandId)
        return one === undefined ? 'done' : one.state === 'refused' && one.error?.code
      })
    const done = async (request: QueryRequest) => {
      const made = await rig.rest.query(session.sessionId, request)
      return 'command' in made ? settled(made.command) : 'no command'
    }

    it('[CMD-11.1] [CMD-11.9] tells models, commands, servers and the account, in the shapes of the contract', async () => {
      const { result: models } = await query({ method: 'supportedModels' })
      expect(models).toContainEqual(expect.objectContaining({ value: expect.stringMatching(/./) }))
      const { result: commands } = await query({ method: 'supportedCommands' })
      expect(commands).toContainEqual(expect.objectContaining({ name: 'compact' }))
      const server = await until('the server to be connected', async () => {
        const { result } = await query({ method: 'mcpServerStatus' })
        return result.find(({ name, status }) => name === 'sums' && status === 'connected')
      })
      expect(server).toMatchObject({ name: 'sums', tools: [expect.objectContaining({ name: 'add' })] })
      expect(server).not.toHaveProperty('config')
      const { result: account } = await query({ method: 'accountInfo' })
      expect(Object.keys(account)).toEqual(kind === 'claude' ? expect.arrayContaining(['apiKeySource']) : [])
    })

    // The tests behind it go on with these settings.
    it.runIf(wholeMatrix || kind === 'claude')(
      '[CMD-11.3] sets model and mode, which stay; a mode that never asks is cut by the policy',
      async () => {
        const { model } = own[kind].changed
        const mode = kind === 'claude' ? 'acceptEdits' : 'untrusted'
        expect(await done({ method: 'setModel', args: [model] })).toBe('done')
        expect(await done({ method: 'setPermissionMode', args: [mode] })).toBe('done')
        await session.plays({ text: 'Another.' })
        const asked = rig.system.around.asked().at(-1) as { model?: string }
        expect([asked.model, (await session.session()).settings]).toMatchObject([model, { model, mode }])
        const bypass = done({ method: 'setPermissionMode', args: [kind === 'claude' ? 'bypassPermissions' : 'never'] })
        // Claude Code has that mode in no sandbox but full access, so the hub refuses it before the machine's policy does.
        if (kind === 'claude') await expect(bypass).rejects.toMatchObject({ code: 'UNSUPPORTED' })
        else expect(await bypass).toBe('POLICY_DENIED')
        expect((await session.session()).settings.mode).toBe(mode)
      },
    )

    it.runIf(wholeMatrix || kind === 'claude')(
      '[CAP-4.6] [CAP-4.7] a model that does not exist is taken back, and the session goes on with the one before',
      async () => {
        const { model } = own[kind].changed
        await query({ method: 'setModel', args: ['no-such-model'] })
        const error = { code: 'MODEL_UNAVAILABLE', message: expect.stringContaining('no-such-model') }
        // Claude Code asks the model service before it takes one.
        if (kind === 'codex') expect(await session.plays({ text: 'Never.' })).toMatchObject({ reason: 'failed', error })
        const back = await until('the model to be taken back', () =>
          session.of('session_configured').findLast((event) => event.error),
        )
        expect(back).toMatchObject({ changes: { model }, by: 'backend', error })
        expect(await session.plays({ text: 'Gone on.' })).toMatchObject({ reason: 'completed' })
        expect([rig.system.around.asked().at(-1), (await session.session()).settings]).toMatchObject([
          { model },
          { model },
        ])
      },
    )

    it.runIf(kind === 'claude')('[CMD-11.3] limits the thinking of a model that takes a limit', async () => {
      expect(await done({ method: 'setMaxThinkingTokens', args: [2_048] })).toBe('done')
      await session.plays({ text: 'Short.' })
      expect(rig.system.around.asked().at(-1)).toMatchObject({ thinking: { budget_tokens: 2_048 } })
      expect((await session.session()).settings).toMatchObject({ maxThinkingTokens: 2_048 })
      expect(await done({ method: 'setMaxThinkingTokens', args: [null] })).toBe('done')
    })

    it.runIf(kind === 'claude')(
      '[CMD-11.10] [CMD-11.12] puts back what the program wrote since a prompt, and no denied file',
      async () => {
        const file = freshPath(rig, 'rewound')
        const write = (content: string) => ({ tool: 'Write', input: { file_path: file, content } })
        const read = { tool: 'Read', input: { file_path: file } }
        await session.plays(write('one'), { text: 'Written.' })
        const { commandId } = await rig.prompt(session.sessionId, [read, write('two'), { text: 'Again.' }])
        await session.endOf({ commandId })
        expect(readFileSync(file, 'utf8')).toBe('two')
        const promptId = session.of('user_message').at(-1)?.promptId ?? ''
        await changePolicy(rig, { trustProjectConfig: true, denyPaths: [file] })
        expect(await done({ method: 'rewindFiles', args: [promptId] })).toBe('POLICY_DENIED')
        expect(readFileSync(file, 'utf8')).toBe('two')
        await changePolicy(rig, { trustProjectConfig: true, denyPaths: [] })
        expect(await done({ method: 'rewindFiles', args: [promptId] })).toBe('done')
        expect(readFileSync(file, 'utf8')).toBe('one')
        const first = session.of('user_message').at(-2)?.promptId ?? ''
        expect(await done({ method: 'rewindFiles', args: [first] })).toBe('done')
        expect(existsSync(file)).toBe(false)
        const rewound = session.of('system').filter(({ subtype }) => subtype === 'files_rewound')
        expect(rewound.map(({ data }) => data)).toMatchObject([{ promptId, files: [file] }, { promptId: first }])
        expect(await done({ method: 'rewindFiles', args: ['p_never'] })).toBe('NOT_FOUND')
      },
    )

    it.runIf(kind === 'codex')('[CMD-11.2] that it does not answer is refused by its name', async () => {
      const tokens = query({ method: 'setMaxThinkingTokens', args: [1] })
      await expect(tokens).rejects.toMatchObject({ code: 'UNSUPPORTED', details: { method: 'setMaxThinkingTokens' } })
      const rewind = query({ method: 'rewindFiles', args: ['p_0'] })
      await expect(rewind).rejects.toMatchObject({ code: 'UNSUPPORTED', details: { method: 'rewindFiles' } })
    })

    it.runIf(wholeMatrix || kind === 'claude')(
      '[CMD-11.7] has nobody to answer it where no program runs, and starts none; settings change all the same',
      async () => {
        await rig.rest.endProcess(session.sessionId)
        await session.isNow('resumable')
        const starts = session.starts.length
        await expect(query({ method: 'accountInfo' })).rejects.toMatchObject({ code: 'NOT_RUNNING' })
        expect(await done({ method: 'setModel', args: ['a-later-model'] })).toBe('done')
        if (kind === 'claude') expect(await done({ method: 'rewindFiles', args: ['p_0'] })).toBe('NOT_RUNNING')
        expect([session.starts.length, (await session.session()).settings.model]).toEqual([starts, 'a-later-model'])
        await rig.agree(session.sessionId)
      },
    )
  },
)
