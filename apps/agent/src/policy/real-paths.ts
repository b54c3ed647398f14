/** The paths that a command names, and the facts about each that `judge` needs. */
import type { CommandBody, SessionSettings } from '@roundhouse/backend-types'

/** What a path that was asked for really is. `absent` also stands for one that may not be read. */
export type RealPath =
  | { kind: 'folder'; real: string }
  /** `names`: how many names the file has on its disk. */
  | { kind: 'file'; real: string; names: number }
  | { kind: 'absent' }
export type RealPaths = Readonly<Record<string, RealPath>>

/** Every path that this command would make a program use. */
export function pathsOf(body: CommandBody): string[] {
  return body.kind === 'session.create' ? pathsOfSettings(body.settings) : []
}

export function pathsOfSettings(settings: SessionSettings): string[] {
  return [
    settings.workDir,
    ...(settings.additionalDirs ?? []),
    ...(settings.mcpConfigPath === undefined ? [] : [settings.mcpConfigPath]),
  ]
}
