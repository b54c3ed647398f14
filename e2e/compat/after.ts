/** What must hold after the upgrade, in the order in which a person would do it. */
import { isCutValue } from '@roundhouse/backend-types'
import { createHubClient, HubRest, signIn, Transport } from '@roundhouse/hub-client'
import { eventsOf, logOf, tableOf } from '../support/accounts/ledger'
import { openViewer } from '../support/accounts/viewer'
import { repoRoot } from '../support/common/paths'
import { until } from '../support/common/until'
import { OwnedProcess } from '../support/processes/owned-process'
import { scriptOf } from '../support/rigs/rig'
import { grantedStep, guest, IDLE, longOutput, type Machine, operator, type Past, writes } from './before'
import { mustBe, type Report } from './report'

export async function upgrade(past: Past, report: Report): Promise<void> {
  await newHub(past, report)
  await people(past, report)
  await newDaemon(past, report)
  await elderAlone(past, report)
  await report.step('audit:check finds the audit log of the upgraded folder intact.', () => auditCheck(past))
}

async function newHub(past: Past, report: Report): Promise<void> {
  const { hub, bench, elder, early, sessions, asks } = past
  await report.step('The new hub starts on the data folder of the earlier one, and all agents return.', async () => {
    await hub.stop()
    hub.useBuildOf(repoRoot)
    await hub.start()
    await until('all agents', async () => (await rest(past)).agents().then(({ items }) => items.every((a) => a.online)))
  })
  await report.step('Every session has the history that it had: hub and machine hold the same hashes.', async () => {
    for (const id of [sessions.granted, sessions.firstAsk, sessions.secondAsk]) await sameLog(past, bench, id)
    await sameLog(past, elder, sessions.elderAsk)
    await sameLog(past, early, sessions.earlyAsk)
  })
  await report.step('A question of an agent that was upgraded before the hub is answered.', () =>
    answer(past, early, sessions.earlyAsk, asks.early),
  )
  await report.step('The turn that was running goes on, and a viewer sees it live.', async () => {
    const viewer = await openViewer(hub, sessions.running)
    const before = viewer.shown().at(-1)?.seq ?? 0
    await until('more events', () => (viewer.shown().at(-1)?.seq ?? 0) > before + 10)
    viewer.close()
  })
  await report.step('A question from before the upgrade is answered through the earlier daemon.', () =>
    answer(past, bench, sessions.firstAsk, asks.first),
  )
  await report.step('A helper whose turn was over before the upgrade is answered through the earlier daemon.', () =>
    answer(past, bench, sessions.helperAsk, asks.helper),
  )
  await report.step('The middle of an output is read from the machine through the earlier daemon.', () =>
    readsWhole(past, sessions.cut),
  )
  await report.step('The standing grant is still listed.', async () => {
    mustBe('grants', (await (await rest(past)).snapshot(sessions.granted, 1)).session.grants.length, 1)
  })
}

async function people(past: Past, report: Report): Promise<void> {
  const { hub } = past
  await report.step(
    'The operator signs in with the password from before, and sees the shared machine only.',
    async () => {
      const client = createHubClient(await signIn(hub.url, operator.email, operator.password))
      mustBe('role', (await client.rest.me()).role, 'operator')
      mustBe(
        'machines',
        (await client.rest.agents()).items.map(({ name }) => name),
        ['bench'],
      )
      client.close()
    },
  )
  await report.step('The token of a program goes on working.', async () => {
    const headers = () => ({ authorization: `Bearer ${past.token}` })
    const program = new HubRest(new Transport({ baseUrl: hub.url, headers }))
    mustBe('machines', (await program.agents()).items.length, 3)
  })
  await report.step('A login from before the upgrade has ended.', async () => {
    const { status } = await fetch(`${hub.url}/api/v1/me`, { headers: past.oldHeaders })
    mustBe('status', status, 401)
  })
  await report.step('An invitation from before the upgrade lets its person in.', async () => {
    const { name, email, password } = guest
    await new HubRest(new Transport({ baseUrl: hub.url })).acceptInvitation({
      code: past.invitationCode,
      name,
      password,
    })
    const client = createHubClient(await signIn(hub.url, email, password))
    mustBe('role', (await client.rest.me()).role, 'viewer')
    client.close()
  })
}

async function newDaemon(past: Past, report: Report): Promise<void> {
  const { bench, sessions, asks } = past
  const { process, agentId, workDir } = bench
  const hosts = [sessions.running, sessions.secondAsk]
  const hostsBefore = hosts.map((id) => process.hostPid(id))
  await report.step('The new daemon takes over the hosts that a killed one left, and reads its policy.', async () => {
    await process.kill()
    process.useThisBuild()
    await process.start(IDLE)
    mustBe(
      'hosts',
      hosts.map((id) => process.hostPid(id)),
      hostsBefore,
    )
    const { output, succeeded } = await process.command(['policy'])
    mustBe('policy', succeeded && output.includes(workDir), true)
  })
  await report.step('A question of an earlier host is answered through the new daemon.', () =>
    answer(past, bench, sessions.secondAsk, asks.second),
  )
  await report.step('A question with options of an earlier host takes its answer through the new daemon.', () =>
    answer(past, bench, sessions.formAsk, asks.form, { [asks.form.form?.fields[0]?.name ?? '']: 'That' }),
  )
  await report.step('The middle of an output from before is read through the new daemon.', () =>
    readsWhole(past, sessions.cut),
  )
  await report.step(
    'A turn of an earlier host is interrupted, and its queue goes on when it is released.',
    async () => {
      const hub = await rest(past)
      const { session } = await hub.snapshot(sessions.running, 1)
      await hub.interrupt(sessions.running, session.turnId ?? '')
      await until('a held queue', async () => (await hub.snapshot(sessions.running, 1)).session.queueHeld)
      await hub.queue(sessions.running, { op: 'release' })
      await until('the queued prompt', () => said(bench, sessions.running).includes('The queued one.'))
    },
  )
  await report.step('`stop` ends an earlier host.', async () => {
    const hub = await rest(past)
    await hub.stop(sessions.running)
    await until('its end', async () => (await hub.snapshot(sessions.running, 1)).session.status.status === 'ended')
    await until('its host to end', () => !process.hasHost(sessions.running))
    await sameLog(past, bench, sessions.running)
  })
  await report.step('A session at rest resumes under the new agent, and its standing grant answers.', async () => {
    const hub = await rest(past)
    const { session } = await hub.snapshot(sessions.granted, 1)
    const text = scriptOf([grantedStep, { text: 'Once more.' }])
    await hub.prompt(sessions.granted, { promptId: 'p_again', text })
    await until('its answer', () => said(bench, sessions.granted).includes('Once more.'))
    const after = (await hub.snapshot(sessions.granted, 1)).session
    mustBe('conversation', after.backendSessionId, session.backendSessionId)
    await sameLog(past, bench, sessions.granted)
  })
  await report.step('What the policy from before forbids is refused, and a new session runs.', async () => {
    const hub = await rest(past)
    const settings = { backend: 'scripted', workDir: '/' }
    const { sessionId } = await hub.createSession({ agentId, settings, prompt: scriptOf([{ text: 'No.' }]) })
    await until('the refusal', async () => {
      const { commands } = (await hub.snapshot(sessionId)).session
      return commands.some(({ kind, state }) => kind === 'session.create' && state === 'refused')
    })
    await newSession(past, bench, 'new.txt')
  })
}

async function elderAlone(past: Past, report: Report): Promise<void> {
  const { hub, elder, sessions, asks } = past
  await report.step('The earlier agent alone returns after a restart of hub and agent.', async () => {
    await elder.process.kill()
    await hub.stop()
    await hub.start()
    await elder.process.start(IDLE)
  })
  await report.step('Its question from before is answered, and it runs a new session.', async () => {
    await answer(past, elder, sessions.elderAsk, asks.elder)
    await newSession(past, elder, 'elder-new.txt')
  })
}

async function newSession(past: Past, machine: Machine, file: string): Promise<void> {
  const hub = await rest(past)
  const settings = { backend: 'scripted', workDir: machine.workDir }
  const { sessionId } = await hub.createSession({
    agentId: machine.agentId,
    settings,
    prompt: scriptOf(writes(file)),
  })
  const ask = await until('its question', async () => {
    const { requests } = (await hub.snapshot(sessionId, 1)).session
    return requests.find(({ outcome }) => outcome === 'open')?.ask
  })
  await answer(past, machine, sessionId, ask)
}

async function answer(
  past: Past,
  machine: Machine,
  sessionId: string,
  ask: { requestId: string; digest: string },
  answers?: Record<string, string>,
): Promise<void> {
  const hub = await rest(past)
  await hub.decide(ask.requestId, { decision: 'allow', digest: ask.digest, ...(answers ? { answers } : {}) })
  await until('the turn to end', async () => (await hub.snapshot(sessionId, 1)).session.turnId === undefined)
  const outcomes = () =>
    eventsOf(logOf(machine.process.sessionFolder(sessionId))).flatMap((event) =>
      event.kind === 'permission_resolved' ? [event.outcome] : [],
    )
  await until('its outcome', () => outcomes().length > 0)
  mustBe('outcome', outcomes(), ['applied'])
  await sameLog(past, machine, sessionId)
}

/** Asks for it chunk by chunk, as the page does. */
async function readsWhole(past: Past, sessionId: string): Promise<void> {
  const hub = await rest(past)
  const events = eventsOf(tableOf(past.hub.dataDir, sessionId))
  const cut = events.flatMap((event) => (event.kind === 'tool_result' ? [event.output] : [])).find(isCutValue)
  if (cut?.artifactId === undefined) throw new Error('no output was cut')
  const parts: Buffer[] = []
  for (let from = 0; from < cut.bytes; from = Buffer.concat(parts).length) {
    parts.push(Buffer.from((await hub.artifact(sessionId, cut.artifactId, from)).bytes))
  }
  mustBe('the output', Buffer.concat(parts).toString() === longOutput, true)
}

const rest = async ({ hub }: Past) => (await hub.client()).rest

function said({ process }: Machine, sessionId: string): string[] {
  const events = eventsOf(logOf(process.sessionFolder(sessionId)))
  return events.flatMap((event) => (event.kind === 'assistant_text' ? [String(event.text)] : []))
}

/** Waits, since a machine's last words are still on their way when the hub knows the outcome. */
async function sameLog({ hub }: Past, { process }: Machine, sessionId: string): Promise<void> {
  const hashes = (rows: Array<{ hash: string }>) => rows.map(({ hash }) => hash).join()
  await until(`hub and machine to hold the same of ${sessionId}`, () => {
    const log = hashes(logOf(process.sessionFolder(sessionId)))
    return log !== '' && hashes(tableOf(hub.dataDir, sessionId)) === log
  })
}

async function auditCheck({ hub }: Past): Promise<void> {
  const check = new OwnedProcess([`${repoRoot}/apps/hub/dist/audit-check.js`, '--data', hub.dataDir], {}, repoRoot)
  await until('audit:check', () => !check.alive)
  if (!check.succeeded) throw new Error(check.output.trim())
}
