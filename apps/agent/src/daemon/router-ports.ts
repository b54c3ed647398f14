/** Joins the router of commands to the sessions of this machine, its policy and its disk. */
import type { CommandAnswer, ImageAsked, ImageChunk } from '@roundhouse/backend-types'
import { causesOf } from '../files/disk-trouble'
import type { LogLine } from '../files/log-line'
import type { RouterPorts } from './commands/command-router'
import { PromptImages } from './commands/prompt-images'
import { refusalAtRest } from './commands/refused-at-rest'
import type { DiskWatch } from './home/disk-watch'
import type { VerbsLog } from './home/verbs-log'
import type { Supervisor } from './hosts/supervisor'
import type { SessionIndex } from './logs/session-index'
import type { SessionLogs } from './logs/session-logs'
import type { ManifestService } from './looks/manifest-service'
import type { PathLooker } from './looks/path-looker'
import type { Places } from './places/places'

export interface RouterPortsParts {
  rules: RouterPorts['policy']
  looker: PathLooker
  manifest: ManifestService
  disk: DiskWatch
  paused(): boolean
  supervisor: Supervisor
  index: SessionIndex
  logs: SessionLogs
  places: Places
  verbs: VerbsLog
  image(asked: ImageAsked): Promise<ImageChunk>
  tell(sessionId: string, commandId: string, answer: CommandAnswer): void
  log: LogLine
}

export function routerPorts(parts: RouterPortsParts): RouterPorts {
  const { supervisor, index, logs, places, verbs, tell } = parts
  return {
    policy: parts.rules,
    see: (paths) => parts.looker.see({ look: 'paths', paths }),
    wrongVersions: () => parts.manifest.wrongVersions(),
    diskTrouble: (error) => parts.disk.mayBeWhy(error),
    paused: parts.paused,
    exists: (sessionId) => supervisor.exists(sessionId),
    answerOf: (sessionId, commandId) => {
      const answer = logs.ask(sessionId, (kept) => kept.answerOf(commandId))
      // Nobody knows whether the command ran, so the hub asks again.
      logs.requireSound(sessionId)
      if (!answer) supervisor.records.requireAgreed(sessionId)
      return answer
    },
    refusedAtRest: (command) => refusalAtRest(supervisor, index, logs, command),
    images: new PromptImages((sessionId) => logs.folder(sessionId), parts.image),
    forward: (command, withPlace) => supervisor.forward(command, withPlace),
    cancel: (sessionId, commandId) => supervisor.cancel(sessionId, commandId),
    erase: (sessionId) => supervisor.hosted(sessionId).erase(),
    enter: (command) => places.enter(command),
    entered: (sessionId) => places.entered(sessionId),
    leaveQueue: (commandId) => places.cancel(commandId),
    news: tell,
    record: (command, answer) => {
      verbs.write(command, answer)
      // Sent separately from the answer, so that the account below arrives when the hub knows of the refusal.
      if (command.body.kind === 'permission.decide' && answer.state === 'refused')
        tell(command.sessionId, command.commandId, answer)
      places.look()
    },
    surprised: ({ sessionId, body }, error) => parts.log(`${sessionId}: ${body.kind} failed: ${causesOf(error)}`),
    elapsed: () => performance.now(),
  }
}
