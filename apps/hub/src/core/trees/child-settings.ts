/**
 * What a child session is made with: its parent's sandbox, folders, mode, rules and tools, and never more (TREE-3). Its program has
 * its own permission prompts; no grant of its parent is in here. Pure.
 */
import { CodedError, type SessionSettings, type TreeInput } from '@roundhouse/backend-types'

/** Only an orchestrator names a model; a program's children have its own. */
export type SpawnInput = TreeInput<'spawn'> & Pick<SessionSettings, 'model'>
type Asked = Pick<SpawnInput, 'backend' | 'model' | 'workDir'>

/** Whatever narrows a session goes to each child; what a program cannot keep is refused where the child is made. */
export function childSettings(parent: SessionSettings, asked: Asked, isSameMachine: boolean): SessionSettings {
  const { backend = parent.backend } = asked
  const isSameBackend = backend === parent.backend
  if (!isSameBackend && parent.mode !== undefined && parent.mode !== 'default')
    throw new CodedError('UNSUPPORTED', `The mode of this session, ${parent.mode}, has no meaning for ${backend}.`)
  const { sandbox, permissionConfig, allowedTools, disallowedTools, systemPrompt } = parent
  const same = isSameBackend ? pick(parent, 'model', 'mode', 'thinking', 'maxThinkingTokens', 'maxOutputTokens') : {}
  const here = isSameMachine ? pick(parent, 'mcpConfigPath', 'env') : {}
  const kept = present({ sandbox, permissionConfig, allowedTools, disallowedTools, systemPrompt })
  const model = present({ model: asked.model })
  return { backend, ...foldersOf(parent, asked.workDir, isSameMachine), ...kept, ...same, ...model, ...here }
}

type Folders = Pick<SessionSettings, 'workDir' | 'additionalDirs'>

/** Exactly the parent's: a folder below one could be a link of the program's own making. */
function foldersOf(
  { workDir, additionalDirs = [] }: Folders,
  asked: string | undefined,
  isSameMachine: boolean,
): Folders {
  if (!isSameMachine) {
    if (asked === undefined) throw new CodedError('INVALID_ARGUMENT', 'workDir: needed on another machine')
    return { workDir: asked }
  }
  const chosen = asked ?? workDir
  if (chosen !== workDir && !additionalDirs.includes(chosen))
    throw new CodedError('PATH_NOT_ALLOWED', 'A child works in a folder of its parent.')
  const others = additionalDirs.filter((folder) => folder !== chosen)
  return { workDir: chosen, ...(others.length > 0 ? { additionalDirs: others } : {}) }
}

function pick<K extends keyof SessionSettings>(from: SessionSettings, ...keys: K[]): Partial<Pick<SessionSettings, K>> {
  return Object.fromEntries(keys.flatMap((key) => (from[key] === undefined ? [] : [[key, from[key]]]))) as Partial<
    Pick<SessionSettings, K>
  >
}

const present = <T extends object>(fields: T): Partial<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>
