import { applyDecorators, Injectable, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { signedInUser } from '../../platform/access/actor';
import { CallsApi } from '../../platform/access/route-access';
import { roleAllows } from '../../platform/access/roles';
import { AccountPages, viewerOf } from '../../account/account-pages';
import type { Frame } from '../../account/pages/frame';
import { ApiError, codeOfStatus, UnauthorizedRoleError } from '../../common/errors/api-errors';
import { type ErrorCode } from '../../common/errors/codes';
import { type FormFields, TakesLongForm } from '../../common/http/json-body';
import { renderFormPage, renderRevealPage } from '../pages/form-page';
import { ApiAnswer, ApiCalls } from './api-calls';
import { type ConsoleForm, describedDigest, type Done, type FormSubject } from './console-form';
import { DESCRIBED_FIELD, ETAG_FIELD } from '../../account/pages/kept-form-page';
import { received } from '../../presentation/text/form-text';
import { conditional, newForm, refusedForm, staleForm, submissionKey } from './form-state';
import { withCurrentValues } from './untouched-fields';

/** The reply to a request for a form's page, or to a submission. The reply contains the request. */
export type FormVisit = FastifyReply;

/** Injects the reply into a form's route. As with `@Res()`, Nest then sends no response itself. */
export const OnForm = Res;

/** The route to which a project or team form is submitted. */
export const PostForm = (path: string): MethodDecorator =>
  applyDecorators(Post(path), TakesLongForm(), CallsApi());

/** Shows and submits forms. */
@Injectable()
export class ConsoleForms {
  constructor(
    private readonly api: ApiCalls,
    private readonly pages: AccountPages,
  ) {}

  /** Sends the form's page. @throws UnauthorizedRoleError for users who are not allowed to submit it */
  show<S extends FormSubject>(visit: FormVisit, form: ConsoleForm<S>, subject: S): void {
    const permission = form.permission(subject);
    if (!roleAllows(subject.role, permission)) {
      throw new UnauthorizedRoleError(subject.role, permission);
    }
    const page = { form, subject, state: newForm() };
    this.send(visit, 200, (frame) => renderFormPage(frame, page));
  }

  /**
   * Calls the API, then redirects, or shows the form again with the user's input and the error messages. @param read
   * reads the subject; called again after a rejected call, because the subject may have changed
   * @throws ApiError for errors that different input would not fix, such as 403 and 404
   */
  async submit<S extends FormSubject>(
    visit: FormVisit,
    form: ConsoleForm<S>,
    read: () => Promise<S>,
  ): Promise<void> {
    const { request } = visit;
    const subject = await read();
    const fields = received((request.body ?? {}) as FormFields, form.values(subject));
    if (isUnconditional(form, subject, fields) || isDescribedOtherwise(form, subject, fields)) {
      const page = { form, subject, state: staleForm(fields) };
      this.send(visit, 412, (frame) => renderFormPage(frame, page));
      return;
    }
    const asked = form.call(subject, fields);
    const call = form.isReached?.(subject) === true ? asked : conditional(asked, fields);
    const answer = await this.api.send(request, call, submissionKey(call, fields));
    if (answer.status < 300) {
      const children = form.reveal?.(subject, answer) ?? null;
      if (children === null) {
        this.redirect(visit, form.done(subject, answer));
      } else {
        this.send(visit, 201, (frame) => renderRevealPage(frame, { form, subject, children }));
      }
      return;
    }
    const refused = refusedForm(fields, answer);
    if (refused === null) {
      throw errorOf(answer);
    }
    const retry = answer.headers['retry-after'];
    visit.headers({ ...(retry !== undefined && { 'retry-after': retry }) });
    // While the server is busy, reading the subject again would probably fail and lose the input.
    const current = answer.status === 503 ? subject : await read();
    const merged = refused.isStale ? withCurrentValues(fields, form.values(current)) : {};
    const page = { form, subject: current, state: { ...refused, ...merged } };
    this.send(visit, answer.status, (frame) => renderFormPage(frame, page));
  }

  /** After a change, redirects to the next page, which shows a message. */
  redirect(visit: FormVisit, { path, notice }: Done): void {
    this.pages.redirect(visit, `${path}${path.includes('?') ? '&' : '?'}notice=${notice}`);
  }

  /** Redirects to a different page without having changed anything. */
  leave(visit: FormVisit, path: string): void {
    this.pages.redirect(visit, path);
  }

  private send(visit: FormVisit, status: number, render: (frame: Frame) => string): void {
    this.pages.send(visit, status, viewerOf(signedInUser(visit.request)), render);
  }
}

/**
 * Whether the form needed no ETag when it was opened but needs one now, for example because it was opened to stop an
 * experiment that is no longer running.
 */
const isUnconditional = <S extends FormSubject>(
  form: ConsoleForm<S>,
  subject: S,
  fields: FormFields,
): boolean => (fields[ETAG_FIELD] ?? '') === '' && (form.etag?.(subject) ?? null) !== null;

/** Whether the form described other consequences when it was opened. */
function isDescribedOtherwise<S extends FormSubject>(
  form: ConsoleForm<S>,
  subject: S,
  fields: FormFields,
): boolean {
  const described = describedDigest(form, subject);
  return described !== null && fields[DESCRIBED_FIELD] !== described;
}

/** The error of a response that different input would not fix. */
export function errorOf({ status, body }: ApiAnswer): ApiError {
  const { message = '', code, ...extra } = (body ?? {}) as { message?: string; code?: ErrorCode };
  return new ApiError(code ?? codeOfStatus(status), message, extra);
}
