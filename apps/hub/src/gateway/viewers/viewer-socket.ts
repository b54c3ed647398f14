/** The sockets of people, with what may be said on them in either direction. */
import type { HubToViewer, ViewerToHub } from '@roundhouse/backend-types'
import type { DefaultEventsMap, Namespace, Socket } from 'socket.io'
import type { PersonData } from '../people/person-socket'

export type ViewerSocket = Socket<ViewerToHub, HubToViewer, DefaultEventsMap, PersonData>
export type ViewerNamespace = Namespace<ViewerToHub, HubToViewer, DefaultEventsMap, PersonData>
