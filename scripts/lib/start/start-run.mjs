// npm start: hub and local agent from a fresh clone, in the foreground, until Ctrl-C.
import { existsSync } from 'node:fs'
import { inRoot } from '../common/paths.mjs'
import { PlainError, run } from '../common/run.mjs'
import { ensureBuilt, prepareSources } from '../setup/build.mjs'
import { ensureInstalled } from '../setup/install.mjs'
import { agentCommand, allowedFolders, ensureJoined, hasHosts } from './local-agent.mjs'
import { agentService, hubService } from './local-services.mjs'
import { requireNoHub } from './running-hub.mjs'
import { readStartConfig, requireFreePort, requireRoom, requireWritable } from './start-config.mjs'
import { makeStopRule } from './stop-rule.mjs'

let stopping = false // from the first signal on: a service that fails now was told to
const say = (line) => console.log(line)

function loadEnvironmentFile() {
  if (existsSync(inRoot('.env'))) process.loadEnvFile(inRoot('.env')) // what is set already wins
}

/** To be pasted in any folder. */
const agentLine = (config, ...words) =>
  [`ROUNDHOUSE_AGENT_HOME=${quoted(config.agentHome)} node`, quoted(agentCommand()[1]), ...words].join(' ')
const quoted = (text) => (/^[\w./@:+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)

async function stopAll(config, hub, agent) {
  const isOurs = agent.hasPlace
  say(isOurs ? '\nEnding the sessions of this machine, at most 8 s. Ctrl-C again leaves them running.' : '')
  await agent.stop('SIGINT', 12_000)
  // A host that was just being started, or that the daemon had lost, is not among those it ended.
  if (isOurs && hasHosts(config.agentHome)) {
    await run(agentCommand('stop', '--sessions'), { env: { ROUNDHOUSE_AGENT_HOME: config.agentHome } })
  }
  await hub.stop('SIGTERM', 5_000)
  say('Everything has stopped.')
}

async function leave(config, hub, agent) {
  await Promise.all([agent.stop('SIGTERM', config.ownSessions ? 12_000 : 5_000), hub.stop('SIGTERM', 5_000)])
  if (config.ownSessions || !agent.hasPlace) return
  say(
    `Running sessions continue, and the next npm start finds them. To end them: ${agentLine(config, 'stop --sessions')}`,
  )
}

function leaveAtOnce(config, hub, agent) {
  agent.signal('SIGKILL')
  hub.signal('SIGTERM')
  const rest = agent.hasPlace ? ` Sessions may still run; to end them: ${agentLine(config, 'stop --sessions')}` : ''
  say(`Stopped at once.${rest}`)
}

function obeySignals(config, hub, agent) {
  const judge = makeStopRule({ now: Date.now })
  const obey = async (signal) => {
    const way = judge(signal)
    if (way === 'ignore') return
    stopping = true
    if (way === 'leave at once') {
      leaveAtOnce(config, hub, agent)
      process.exit(130)
    }
    await (way === 'stop all' ? stopAll(config, hub, agent) : leave(config, hub, agent))
    process.exit(0)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void obey(signal))
  // Whatever else ends us, the two children must not be left behind unseen.
  process.on('exit', () => {
    agent.signal('SIGTERM')
    hub.signal('SIGTERM')
  })
}

function welcome(config, facts, agent) {
  const folders = allowedFolders(config.agentHome)
  const code = facts.setupUrl?.split('#')[1]
  return [
    '',
    'Roundhouse is running.',
    '',
    `  Open      ${facts.setupUrl ?? facts.url}`,
    ...(code ? [`  Code      ${code}   (makes you the owner; works once)`] : []),
    ...(agent.hasPlace
      ? [
          ...folders.map((folder) => `  Folder    ${folder}   (sessions may work here)`),
          ...(folders.length === 0 ? ['  Folder    none: no session may run here yet'] : []),
          `  Allow     ${agentLine(config, 'allow FOLDER')}   (adds another folder)`,
        ]
      : ['  Agent     not started here; the page shows how to add a machine']),
    '',
    'Press Ctrl-C to stop everything.',
  ].join('\n')
}

/** A hub loads its pages when somebody asks for one: ask before the person does. */
const wakePages = (facts) => fetch(facts.url).then((answer) => answer.arrayBuffer(), ignore)
const ignore = () => {}

async function bringUp(config) {
  await requireRoom(config.dataDir, 'ROUNDHOUSE_DATA_DIR', say)
  requireWritable(config.agentHome, 'ROUNDHOUSE_AGENT_HOME') // on a full disk the agent waits by itself
  await requireNoHub(config.dataDir)
  await requireFreePort(config)
  await ensureInstalled(say)
  await (config.dev ? prepareSources(say) : ensureBuilt(say))

  const hub = hubService(config, say)
  const agent = agentService(config, say)
  obeySignals(config, hub, agent)
  const facts = await hub.start()
  hub.options.env.PORT = String(facts.port) // a hub that is started again has to be where the agent looks for it
  await Promise.all([bringAgent(config, facts, agent), wakePages(facts)])
  say(welcome(config, facts, agent))
}

/**
 * The hub also serves other machines and people: if the local agent cannot start, the reason is printed and the hub
 * continues.
 */
async function bringAgent(config, facts, agent) {
  try {
    await ensureJoined(config, facts)
    await agent.start(30_000)
  } catch (error) {
    if (stopping) return
    say(`${error instanceof PlainError ? error.message.trim() : error.stack}\nThe hub continues without it.`)
  }
}

export async function start(argv, { dev = false } = {}) {
  // Its output may lie on a disk that is full: then lines are missing, and what it started goes on.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', ignore)
  try {
    loadEnvironmentFile()
    await bringUp(readStartConfig(process.env, argv, dev))
  } catch (error) {
    if (stopping) return // whoever handles the signal ends the process
    console.error(error instanceof PlainError ? error.message.trim() : error)
    process.exit(1)
  }
}
