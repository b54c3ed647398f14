/**
 * What other people's tools make of the hub's OpenAPI document: a linter, and a generator whose client then does what a program of
 * theirs would do.
 */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import type { CommandMade, EventsPage, RequestView, SessionsList, Snapshot } from '@roundhouse/backend-types'
import { build } from 'esbuild'
import { generate } from 'openapi-typescript-codegen'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freshFolder, repoRoot } from '../support/common/paths'
import { until } from '../support/common/until'
import { owner } from '../support/processes/hub-process'
import { type Rig, scriptOf, startRig } from '../support/rigs/rig'

let rig: Rig
let token: string
let document: string

beforeAll(async () => {
  rig = await startRig()
  const { password } = owner
  const made = rig.rest.makeToken({ name: 'generated', scopes: ['read', 'decide', 'operate'], ttlDays: 1, password })
  token = (await made).token
  const headers = { authorization: `Bearer ${token}` }
  document = await (await fetch(`${rig.system.hub.url}/api/v1/openapi.json`, { headers })).text()
})
afterAll(() => rig.dispose())

/** As the client is typed: one object in, the answer out. */
interface Generated {
  OpenAPI: { BASE: string; TOKEN?: string }
  AgentsService: { listAgents(): Promise<{ items: Array<{ agentId: string }> }> }
  SessionsService: {
    createSession(asked: { idempotencyKey: string; requestBody: object }): Promise<CommandMade>
    getSession(asked: { sessionId: string; limit?: number }): Promise<Snapshot>
    listEvents(asked: { sessionId: string; limit?: number }): Promise<EventsPage>
    listSessions(asked: { limit?: number }): Promise<SessionsList>
  }
  PermissionsService: {
    decidePermission(asked: { requestId: string; idempotencyKey: string; requestBody: object }): Promise<RequestView>
  }
}

/** The client in TypeScript, checked as strictly as may be, and then loaded. */
async function generated(): Promise<Generated> {
  const folder = freshFolder('generated')
  const input = path.join(folder, 'openapi.json')
  writeFileSync(input, document)
  const output = path.join(folder, 'client')
  await generate({ input, output, httpClient: 'fetch', useOptions: true })
  const index = path.join(output, 'index.ts')
  const options = '--noEmit --strict --ignoreConfig --target es2022 --module esnext --moduleResolution bundler'.split(
    ' ',
  )
  const tsc = path.join(repoRoot, 'node_modules/typescript/bin/tsc')
  const check = spawnSync(process.execPath, [tsc, ...options, '--lib', 'es2022,dom', '--types', '', index])
  expect(String(check.stdout)).toBe('')
  const outfile = path.join(folder, 'client.mjs')
  await build({ entryPoints: [index], outfile, bundle: true, format: 'esm', platform: 'node', logLevel: 'silent' })
  return import(pathToFileURL(outfile).href)
}

it('a public linter finds nothing in it', async () => {
  const config = await createConfig({ extends: ['recommended-strict'] })
  const problems = await lintFromString({ source: document, absoluteRef: 'openapi.json', config })
  expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([])
})

it('a client that a public generator makes of it starts a session, answers its question and reads what came of it', async () => {
  const { OpenAPI, AgentsService, SessionsService, PermissionsService } = await generated()
  OpenAPI.BASE = rig.system.hub.url
  OpenAPI.TOKEN = token
  const [agent] = (await AgentsService.listAgents()).items
  const { sessionId } = await SessionsService.createSession({
    idempotencyKey: 'generated-session',
    requestBody: {
      agentId: agent?.agentId,
      settings: { backend: 'scripted', workDir: rig.system.workDir },
      prompt: scriptOf([
        { tool: 'Bash', input: { command: 'true' }, output: 'ok', ask: 'to see it' },
        { text: 'Done.' },
      ]),
    },
  })
  const { requestId, digest } = await until('its question', async () => {
    const { requests } = (await SessionsService.getSession({ sessionId, limit: 1 })).session
    return requests.find(({ outcome }) => outcome === 'open')?.ask
  })
  const decided = await PermissionsService.decidePermission({
    requestId,
    idempotencyKey: 'generated-decision',
    requestBody: { decision: 'allow', digest },
  })
  expect(decided.decision).toMatchObject({ answer: 'allow' })
  await until('the end of the turn', async () => {
    const { events } = await SessionsService.listEvents({ sessionId, limit: 200 })
    return events.some(({ body }) => JSON.parse(body).kind === 'turn_completed') || undefined
  })
  const { items } = await SessionsService.listSessions({ limit: 10 })
  expect(items.map((item) => item.sessionId)).toEqual([sessionId])
  const unknown = SessionsService.getSession({ sessionId: 'no-such-session' })
  await expect(unknown).rejects.toMatchObject({ status: 404, body: { error: { code: 'SESSION_NOT_FOUND' } } })
})
