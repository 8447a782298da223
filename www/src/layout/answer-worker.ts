/** Answers questions away from the page's thread. */
import { type Answer, answerOf, type Wrong } from './answer.js';
import type { Question } from './question.js';

export interface AnswerRequest {
  readonly id: number;
  readonly question: Question;
}

export interface AnswerReply {
  readonly id: number;
  readonly reply: Answer | Wrong;
}

addEventListener('message', ({ data: { id, question } }: MessageEvent<AnswerRequest>) => {
  postMessage({ id, reply: answerOf(question) } satisfies AnswerReply);
});
