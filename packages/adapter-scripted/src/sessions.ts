/** The conversations that the player has kept on this machine. */
import { existsSync, readdirSync } from 'node:fs'
import { type BackendOutput, CodedError } from '@roundhouse/backend-types'
import { conversationFile, isConversationId, readConversation } from './player/session-file'
import { saidByPerson } from './player/tail'

export interface KeptConversation {
  backendSessionId: string
  workDir: string
  title: string
  updatedAt: number
}

export function listConversations(stateDir: string): KeptConversation[] {
  const files = existsSync(stateDir) ? readdirSync(stateDir) : []
  return files
    .flatMap((file) => (file.endsWith('.json') ? (readConversation(stateDir, file.slice(0, -5)) ?? []) : []))
    .filter((conversation) => conversation.turns.length > 0)
    .map(({ id, workDir, turns, updatedAt }) => ({
      backendSessionId: id,
      workDir,
      title: (turns[0]?.prompt ?? 'A turn that began by itself').slice(0, 80),
      updatedAt,
    }))
    .sort((a, b) => b.updatedAt - a.updatedAt)
}

export function readTranscript(stateDir: string, backendSessionId: string): BackendOutput[] {
  const conversation = readConversation(stateDir, backendSessionId)
  if (!conversation) throw new CodedError('RESUME_UNAVAILABLE', undefined, { backendSessionId })
  return conversation.turns.flatMap(({ prompt, outputs }) => [
    ...(prompt === undefined ? [] : [saidByPerson(prompt)]),
    ...outputs,
  ])
}

export function findTranscript(stateDir: string, backendSessionId: string): string | null {
  const file = conversationFile(stateDir, backendSessionId)
  return isConversationId(backendSessionId) && existsSync(file) ? file : null
}
