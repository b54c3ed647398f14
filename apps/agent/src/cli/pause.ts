/** `pause` and `resume`: the owner's kill switch. A running daemon sees it at the next verb, without a restart. */
import type { AgentHome } from '../files/agent-home'
import { PauseSwitch } from '../policy/pause'
import { type StopPrograms, saidOfStop, stopSessions } from './stop-sessions'

/** `programs`: where they are given, what runs ends as well. `left`: processes that could not be ended. */
export async function pause(home: AgentHome, programs: StopPrograms | null): Promise<{ text: string; left: number }> {
  const done = new PauseSwitch(home.pauseFile).pause()
  const said = done ? 'Paused: nothing is taken from the hub any more.' : 'It was paused already.'
  if (programs === null)
    return { text: `${said} Turns that run go on to their end; to end them too: pause --stop`, left: 0 }
  const stopped = await stopSessions(home, programs)
  return { text: `${said} Sessions ended: ${saidOfStop(stopped)}`, left: stopped.left }
}

export function resume(home: AgentHome): string {
  if (!new PauseSwitch(home.pauseFile).resume()) return 'It was not paused.'
  return 'It goes on: the hub may ask again. Prompts that wait in a queue are released there, by a person.'
}
