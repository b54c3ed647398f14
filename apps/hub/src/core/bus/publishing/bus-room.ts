/** How much room messages may take (BUS-5). What programs and people publish is refused beyond it; what sessions say is in their logs already. Pure. */
import type { BusVolume, NewBusRow } from '../../ports/bus-store'

/** How many bytes messages may take. */
export interface BusRoom {
  /** All messages of the bus together. */
  all: number
  /** The messages of one program, or those that a person sends by their login. */
  own: number
  /** The messages of a person and all their programs. */
  person: number
  /** The messages of all sessions. */
  sessions: number
}

/** An eighth for each program and half for each person, so that one that says too much leaves room for the others, however many tokens it has. */
export const roomOf = (all: number): BusRoom => ({
  all,
  person: Math.floor(all / 2),
  own: Math.floor(all / 8),
  sessions: Math.floor(all / 2),
})

/** What all messages may take unless the operator sets another size. */
export const BUS_BYTES = 8 * 1024 ** 3

/** What a row takes beside its data: its other columns and their indexes, about. The triggers of the table count the same. */
export const ROW_BYTES = 500

export const sizeOfRow = ({ data }: Pick<NewBusRow, 'data'>): number =>
  ROW_BYTES + Buffer.byteLength(JSON.stringify(data))

/** The words of the refusal; null: it fits. A command may take an eighth more, whatever sessions and the hub said, so that what runs can still be stopped. */
export function fullBy(volume: BusVolume, room: BusRoom, topic: string, size: number): string | null {
  const isCommand = topic.startsWith('cmd.')
  const share = isCommand ? 9 / 8 : 1
  if (volume.own + size > room.own * share)
    return 'Your messages take as much room as one peer may. The oldest are removed with time.'
  if (volume.person + size > room.person * share)
    return 'The messages of your programs take as much room as those of one person may. The oldest are removed with time.'
  if ((isCommand ? volume.people : volume.all) + size > room.all * share)
    return 'The bus is full. The oldest messages are removed with time.'
  return null
}
