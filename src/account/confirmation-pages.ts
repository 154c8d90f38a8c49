import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { SignedInUser } from '../platform/access/actor';
import type { FormFields } from '../common/http/json-body';
import { AccountPages } from './account-pages';
import { renderConfirmationPage } from './pages/confirmation-page';
import { CONFIRMATION_FIELD, PasswordConfirmations } from './password-confirmation';

/** A submitted form that is processed only if the password was entered recently. */
export interface ConfirmedForm {
  /** The path to which the form was submitted. */
  path: string;
  fields: FormFields;
}

/** Asks for the password on a page that submits the same form again. */
@Injectable()
export class ConfirmationPages {
  constructor(
    private readonly confirmations: PasswordConfirmations,
    private readonly pages: AccountPages,
  ) {}

  /** Whether to process the form. If not, the page that asks for the password has been sent. */
  async isConfirmed(reply: FastifyReply, session: SignedInUser, form: ConfirmedForm): Promise<boolean> {
    const confirmation = await this.confirmations.check(session, form.fields[CONFIRMATION_FIELD]);
    if (confirmation.outcome === 'confirmed') {
      return true;
    }
    const { hasPassword } = confirmation;
    if (confirmation.outcome === 'too many') {
      const { retryAfter } = confirmation;
      reply.header('retry-after', retryAfter);
      this.pages.send(reply, 429, { session }, (frame) =>
        renderConfirmationPage(frame, { ...form, hasPassword, retryAfter }),
      );
    } else {
      const { error } = confirmation;
      const status = error === undefined ? 200 : 422;
      this.pages.send(reply, status, { session }, (frame) =>
        renderConfirmationPage(frame, { ...form, hasPassword, error }),
      );
    }
    return false;
  }
}
