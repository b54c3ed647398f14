/** What is true of each kind of command. A new kind does not compile before its row says so; the sets derive from the rows. */
import type { CommandKind } from './commands'

type Trait =
  /** Takes its place in the order of `cmdSeq` (CMD-2). The others concern what runs, or end the session, and wait for no prompt. */
  | 'ordered'
  | 'carriesPrompt'
  /** A program may start or continue after it. */
  | 'startsWork'
  | 'endsProgram'
  /** A machine whose disk is full refuses it at once (FLOW-2). */
  | 'needsRoom'
  /** A session that has ended accepts it: nothing goes on there, but what is left of it can be removed. */
  | 'allowedAfterEnd'
  /** It ends something, so a session whose disk is full carries it out (FLOW-4.3). */
  | 'worksOnFullDisk'
  /** Whatever it does is an event that carries its id (CMD-2). */
  | 'toldByEvents'

const traits: Readonly<Record<CommandKind, readonly Trait[]>> = {
  'session.create': ['ordered', 'carriesPrompt', 'needsRoom', 'toldByEvents'],
  'session.resume': ['ordered', 'startsWork', 'needsRoom'],
  'session.configure': ['ordered', 'needsRoom', 'toldByEvents'],
  'session.stop': ['endsProgram', 'worksOnFullDisk', 'toldByEvents'],
  'session.delete': ['allowedAfterEnd', 'worksOnFullDisk'],
  'prompt.send': ['ordered', 'carriesPrompt', 'startsWork', 'needsRoom', 'toldByEvents'],
  'queue.edit': ['ordered', 'needsRoom'],
  'queue.remove': ['ordered', 'needsRoom'],
  'queue.move': ['ordered', 'needsRoom'],
  'queue.release': ['ordered', 'startsWork', 'needsRoom'],
  'files.rewind': ['ordered', 'needsRoom'],
  'turn.interrupt': ['worksOnFullDisk'],
  'program.tell': ['ordered', 'startsWork', 'needsRoom'],
  'tool.answer': [],
  'task.stop': ['worksOnFullDisk'],
  'permission.decide': [],
  'grant.revoke': ['ordered', 'worksOnFullDisk', 'toldByEvents'],
  'process.end': ['endsProgram', 'allowedAfterEnd', 'worksOnFullDisk'],
  'event.blank': ['ordered', 'allowedAfterEnd'],
}

const commandsThat = (fits: (traits: readonly Trait[]) => boolean): ReadonlySet<CommandKind> =>
  new Set((Object.keys(traits) as CommandKind[]).filter((kind) => fits(traits[kind])))
const commandsWith = (trait: Trait) => commandsThat((own) => own.includes(trait))

export const unorderedCommands = commandsThat((own) => !own.includes('ordered'))
export const promptCommands = commandsWith('carriesPrompt')
export const commandsThatStartWork = commandsWith('startsWork')
export const commandsThatEndPrograms = commandsWith('endsProgram')
export const commandsThatNeedRoom = commandsWith('needsRoom')
export const commandsAfterTheEnd = commandsWith('allowedAfterEnd')
export const commandsOnFullDisk = commandsWith('worksOnFullDisk')
export const commandsToldByEvents = commandsWith('toldByEvents')
