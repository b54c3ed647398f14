/** The commands that are shown above the composer. Pure. */
import type { CommandView, SessionView } from '@roundhouse/backend-types'
import { type CommandWords, commandWords, untakenWords } from '../prompt/command-words'

export interface ShownCommand {
  command: CommandView
  words: CommandWords
}

/** A prompt in the queue is shown there. An accepted one outside the queue is for the running turn, and not taken yet. */
export function shownCommands({
  commands,
  queue,
  turnId,
  agentName,
}: Pick<SessionView, 'commands' | 'queue' | 'turnId' | 'agentName'>): ShownCommand[] {
  const queued = new Set(queue.map((entry) => entry.promptId))
  return commands.flatMap((command) => {
    const { kind, state, promptId } = command
    const isQueued = promptId !== undefined && queued.has(promptId)
    const isUntaken = kind === 'prompt.send' && state === 'accepted' && turnId !== undefined
    const words = commandWords(command, agentName) ?? (isUntaken ? untakenWords : null)
    return words && (!isQueued || words.failed) ? [{ command, words }] : []
  })
}
