/** The sockets of people, with what may be said on them in either direction. */
import type { HubToViewer, ViewerToHub } from '@roundhouse/backend-types'
import type { DefaultEventsMap, Namespace, Socket } from 'socket.io'
import type { ViewerLogin } from './handshake'

interface ViewerData {
  login: ViewerLogin
}

export type ViewerSocket = Socket<ViewerToHub, HubToViewer, DefaultEventsMap, ViewerData>
export type ViewerNamespace = Namespace<ViewerToHub, HubToViewer, DefaultEventsMap, ViewerData>
