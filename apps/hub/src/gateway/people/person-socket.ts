/** A socket of a person who has proved who they are, whatever is said on it. */
import type { Socket } from 'socket.io'
import type { ViewerLogin } from '../upgrade/handshake'

export interface PersonData {
  login: ViewerLogin
}

/** What every socket of a person has, whatever its namespace says on it. */
export interface PersonSocket extends Pick<Socket, 'connected' | 'disconnect'> {
  data: PersonData
}

/** Those of one namespace. */
export interface PersonSockets {
  sockets: ReadonlyMap<string, PersonSocket>
  disconnectSockets(close: boolean): void
}
