#!/usr/bin/env node
/**
 * The program `roundhouse-agent`: reads the command line, joins the rooms together, and turns whatever was thrown into
 * one plain sentence and an exit code. Beside its bundle lie those of the session host, the reaper and the player.
 */
import path from 'node:path'
import { type BackendAbout, toCodedError } from '@roundhouse/backend-types'
import { builtIn } from './backends/built-in'
import { allow } from './cli/allow'
import { publishWords, readArguments, type Verb } from './cli/arguments'
import { doctor } from './cli/doctor'
import { exitCodeOf, FAILED, OK } from './cli/exit-codes'
import { helpOn } from './cli/help-text'
import { join } from './cli/join'
import { showLog } from './cli/log'
import { requireOwner } from './cli/owner-only'
import { pause, resume } from './cli/pause'
import { showPolicy } from './cli/policy'
import { rotateKey } from './cli/rotate-key'
import { listRules, revokeRule } from './cli/rules'
import { status } from './cli/status'
import { saidOfStop, stopSessions } from './cli/stop-sessions'
import { requireOrdinaryUser, runInForeground } from './cli/up'
import { BackendAsker } from './daemon/looks/backend-asker'
import { ManifestService } from './daemon/looks/manifest-service'
import { type ManifestSource, ManifestSources } from './daemon/looks/manifest-sources'
import { PathLooker } from './daemon/looks/path-looker'
import { agentHome } from './files/agent-home'
import { logToStderr, outliveOwnOutput } from './files/log-line'
import { makeAskedScratch, removeScratch, scratchFolder } from './files/scratch-folder'
import type { NamedProgram } from './host-contract/launch-spec'
import { auditHeadsFile } from './identity/audit-heads-file'
import { programEnvironment } from './policy/environment'
import { defaultPolicy } from './policy/policy'
import { PolicyStore } from './policy/policy-store'
import { realRoots } from './policy/real-roots'

/** Put in by the build. */
declare const ROUNDHOUSE_VERSION: string | undefined
const version = typeof ROUNDHOUSE_VERSION === 'string' ? ROUNDHOUSE_VERSION : '0.0.0'

const beside = (name: string): string => path.join(import.meta.dirname, name)
const playerPath = beside('scripted-cli.js')
const stopPrograms = { reaperEntry: beside('reaper.js'), lookerEntry: beside('look.js') }
const home = agentHome(process.env)

/** Each is asked by a process of its own, in the same environment as the hosts. */
function manifestSource({ kind, label, testedVersions }: BackendAbout, program?: NamedProgram): ManifestSource {
  const asker = new BackendAsker({ entry: beside('ask.js'), kind, playerPath, ...(program ? { program } : {}) })
  return {
    kind,
    label,
    ...(testedVersions ? { testedVersions } : {}),
    modelsFile: path.join(home.modelsFolder, `${kind}.json`),
    read: async (binaryPath, envAllow) => {
      const scratchDir = makeAskedScratch(scratchFolder(home), kind)
      try {
        const env = programEnvironment(process.env, envAllow)
        return await asker.ask({
          env,
          scratchDir,
          modelsFolder: home.modelsFolder,
          ...(binaryPath === undefined ? {} : { binaryPath }),
        })
      } finally {
        removeScratch(scratchDir)
      }
    },
  }
}

const manifestSources = new ManifestSources(
  builtIn.map((about) => manifestSource(about)),
  (kind, program) => manifestSource({ kind, label: program.label }, program),
)

function manifestNow() {
  const looker = new PathLooker({ entry: beside('look.js') })
  const policyStore = new PolicyStore(home.policyFile, home.home, realRoots)
  const policy = () => {
    try {
      return policyStore.current()
    } catch {
      return defaultPolicy()
    }
  }
  const stats = (files: string[]) => looker.see({ look: 'stats', files })
  return new ManifestService(manifestSources, policy, stats, Date.now).refresh().finally(() => looker.close())
}

async function up({ ownSessions, idleMs, allowRoot }: Extract<Verb, { verb: 'up' }>): Promise<number> {
  outliveOwnOutput()
  requireOrdinaryUser(allowRoot, logToStderr)
  let revoked = () => {}
  const { Daemon } = await import('./daemon/daemon') // half of the program; the other commands need none of it
  const daemon = new Daemon({
    home,
    env: process.env,
    software: `roundhouse-agent ${version}`,
    hostEntry: beside('host.js'),
    reaperEntry: beside('reaper.js'),
    lookerEntry: beside('look.js'),
    lookThreadEntry: beside('look-thread.js'),
    playerPath,
    toolsEntry: beside('tools.js'),
    manifestSources,
    idleMs,
    log: logToStderr,
    onRevoked: () => revoked(),
  })
  const foreground = runInForeground(daemon, ownSessions, logToStderr, (code) => process.exit(code))
  revoked = foreground.revoked
  await daemon.start()
  return foreground.ended
}

async function run(verb: Verb): Promise<number> {
  const say = (text: string) => void process.stdout.write(`${text}\n`)
  switch (verb.verb) {
    case 'help':
      say(helpOn(verb.about))
      return OK
    case 'version':
      say(version)
      return OK
    case 'join':
      say(await join(home, verb))
      return OK
    case 'allow':
      say(allow(home, verb.folder))
      return OK
    case 'status': {
      const { text, running } = status(home)
      say(text)
      return running ? OK : FAILED
    }
    case 'doctor': {
      const { text, healthy } = await doctor(home, process.env, manifestNow)
      say(text)
      return healthy ? OK : FAILED
    }
    case 'audit-heads':
      say(JSON.stringify(auditHeadsFile(home.auditHeadsFile).kept()))
      return OK
    case 'rotate-key':
      say(await rotateKey(home))
      return OK
    case 'policy': {
      const { text, sound } = showPolicy(home)
      say(text)
      return sound ? OK : FAILED
    }
    case 'pause': {
      const { text, left } = await pause(home, verb.stop ? stopPrograms : null)
      say(text)
      return left === 0 ? OK : FAILED
    }
    case 'resume':
      say(resume(home))
      return OK
    case 'rules':
      say(verb.revoke === null ? listRules(home) : revokeRule(home, verb.revoke))
      return OK
    case 'log':
      await showLog(home, verb, say)
      return OK
    case 'stop': {
      const stopped = await stopSessions(home, stopPrograms)
      say(`Ended: ${saidOfStop(stopped)}`)
      return stopped.left === 0 ? OK : FAILED
    }
    case 'up':
      return up(verb)
    case 'tools': {
      const { runTools } = await import('./session-tools/run-tools')
      return runTools(process.env)
    }
    case 'publish': {
      const { publish } = await import('./session-tools/publish')
      say(await publish(process.env, publishWords[verb.what], verb.input))
      return OK
    }
    case 'publish-message': {
      const { publishMessages } = await import('./bus-client/publish-messages')
      return (await publishMessages(verb, process.env, say)) ? OK : FAILED
    }
    case 'subscribe': {
      const { subscribe } = await import('./bus-client/subscribe')
      await subscribe(verb, {
        env: process.env,
        out: process.stdout,
        say: (text) => void process.stderr.write(`roundhouse-agent: ${text}\n`),
        onSignal: (stop) => void process.once('SIGTERM', stop).once('SIGINT', stop),
      })
      return OK
    }
    case 'bridge': {
      // Only here: the other commands need none of it.
      const { runBridge } = await import('./bridge/run-bridge')
      const { backend, callbackMs } = verb
      const { reaperEntry } = stopPrograms
      return runBridge({ home, env: process.env, reaperEntry, playerPath, backend, callbackMs })
    }
    case 'run': {
      const { runOnce } = await import('./run/run-once')
      const { reaperEntry } = stopPrograms
      return runOnce(verb, { home, env: process.env, reaperEntry, playerPath })
    }
  }
}

process.umask(0o077)
// Where the log lies on a disk that refuses, only its lines are missing.
process.stderr.on('error', () => {})
try {
  const verb = readArguments(process.argv.slice(2))
  requireOwner(verb, process.env, home)
  process.exit(await run(verb))
} catch (error) {
  const { code, message, cause } = toCodedError(error)
  process.stderr.write(`roundhouse-agent: ${message} [${code}]\n`)
  if (code === 'INTERNAL' && cause instanceof Error) process.stderr.write(`${cause.stack}\n`)
  process.exit(exitCodeOf(code))
}
