/**
 * Where the CLI keeps what a command in the background prints. It names the file in the result of the call, and a command
 * may print any text as its own result: so only the one place counts at which the CLI puts the file of this very task,
 * `<temporary folder>/claude-<user>/<work folder>/<conversation>/tasks/<task>.output`.
 */
import { realpathSync } from 'node:fs'
import { dirname } from 'node:path'
import type { ReportedTask, TaskOutputFile } from '@roundhouse/backend-types'

export interface Claim {
  taskId: string
  /** The conversation whose frame names the file. */
  sessionId: string
  /** The result of the call. */
  text: string
}

const plainId = /^[\w-]{1,128}$/

export function outputFileIn({ taskId, sessionId, text }: Claim): TaskOutputFile | undefined {
  if (!plainId.test(taskId) || !plainId.test(sessionId)) return undefined
  const place = new RegExp(`written to: (/.*?/claude(?:-[^/]+)?)/([^/]+/${sessionId}/tasks/${taskId}\\.output)`)
  const [, folder = '', path = ''] = place.exec(text.slice(0, 8_192)) ?? []
  const isPlain = `${folder}/${path}`.split('/').every((name) => name !== '.' && name !== '..')
  return path !== '' && isPlain ? { folder, path } : undefined
}

/** The folders in which the CLI makes its temporary ones. */
export function temporaryFolders(env: Readonly<Record<string, string | undefined>>): string[] {
  const folders = [env.CLAUDE_CODE_TMPDIR, env.TMPDIR, '/tmp'].flatMap((folder) => (folder ? [folder] : []))
  return folders.flatMap((folder) => [folder.replace(/(?<=[^/])\/+$/, ''), realOf(folder)])
}

/** Leaves out files in any other folder. */
export function withOutputBelow(folders: readonly string[], running: readonly ReportedTask[]): ReportedTask[] {
  return running.map(({ outputFile, ...task }) => {
    return outputFile && folders.includes(dirname(outputFile.folder)) ? { ...task, outputFile } : task
  })
}

function realOf(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return folder
  }
}
