/** What the scripted program was started with, from the file in which it keeps each conversation. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

export interface Received {
  system: string
  settings: {
    additionalDirs: string[]
    allowedTools: string[]
    disallowedTools: string[]
    maxOutputTokens: number
  }
}

/** Of the newest conversation with this text in a prompt. */
export function receivedWith(agentHome: string, text: string): Received | undefined {
  const folder = path.join(agentHome, '.roundhouse-scripted')
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : []
  return files
    .map((name) => JSON.parse(readFileSync(path.join(folder, name), 'utf8')))
    .filter(({ turns }) => turns.some(({ prompt }: { prompt?: string }) => prompt?.includes(text)))
    .sort((a, b) => b.updatedAt - a.updatedAt)[0]?.view
}
