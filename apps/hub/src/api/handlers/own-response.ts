/** An answer that is no JSON document of one piece with the status of its route. */
export abstract class OwnResponse {
  abstract response(): Response

  /** It, or its body, is not sent. Also after `response`. */
  dispose(): void {}
}
