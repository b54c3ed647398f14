/** JSON with a status and headers of its own. */
import { OwnResponse } from './own-response'

export class Plain<T extends object> extends OwnResponse {
  constructor(
    private readonly json: T,
    private readonly status: number,
    private readonly headers: Record<string, string>,
  ) {
    super()
  }

  response(): Response {
    return Response.json(this.json, { status: this.status, headers: this.headers })
  }
}
