/** A program about which Roundhouse knows only that it speaks the protocol. Roundhouse assumes that it does not ask. */
import { firstLine, type KnownTool, listIn, textIn } from '@roundhouse/adapter-kit'
import { nameByKind } from './naming'
import type { Profile } from './profile'

/** Describes a call by its kind. No kind has a shape, because the members of an unknown input can mean anything. */
const of = (verb: string, wish: string): KnownTool => ({
  shape: { kind: 'members' },
  describe: (fields) => {
    const paths = listIn(fields, 'locations').filter((path) => typeof path === 'string')
    const object = firstLine(textIn(fields, 'title', 'command', 'path', 'filePath', 'file_path', 'pattern', 'url'))
    return { verb, wish, ...(object === '' && paths.length > 0 ? { paths } : { object }) }
  },
})

export const kinds: Readonly<Record<string, KnownTool>> = {
  execute: of('Run', 'run a command'),
  edit: of('Edit', 'edit a file'),
  delete: of('Delete', 'delete a file'),
  move: of('Move', 'move a file'),
  read: of('Read', 'read a file'),
  search: of('Search', 'search'),
  fetch: of('Fetch', 'fetch a page'),
  think: of('Think', 'think'),
  switch_mode: of('Mode', 'continue in another mode'),
}

export const generic: Profile = {
  name: 'generic',
  argv: ['acp-agent'],
  guard: {
    env: {},
    without: [],
    distrust: {},
    ownersVariables: /^(HOME|USERPROFILE|TMPDIR|TMP|TEMP|XDG_.*)$/,
    refusedCommands: {},
    projectFiles: [],
  },
  says: { systemPrompt: 'first_prompt', model: { by: 'config_option', id: 'model' } },
  takes: { toolLists: false, folders: false, mcpServers: true },
  history: { isProvisional: false },
  // Nobody knows which of its modes ask.
  modes: [],
  sandboxes: ['workspace-write'],
  nameCall: nameByKind,
  tools: kinds,
  capabilities: { supportsPermissions: false },
}
