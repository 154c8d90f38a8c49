import {
  applyDecorators,
  Controller,
  Delete,
  Get,
  HttpCode,
  Inject,
  Patch,
  Post,
  Put,
  Query,
} from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Can, InProject } from '../../access/route-access';
import { InScope, ProjectScope } from '../../access/scope';
import type { Created, Listed, Shown } from '../../common/freshness/answers';
import type { RawQuery } from '../../common/lists/list-query';
import {
  CreateOperation,
  DeleteOperation,
  FindOperation,
  ListOperation,
  ShowOperation,
  UpdateOperation,
} from '../../common/openapi/operations';
import { Submission, Submitted } from '../../common/validation/submission';
import { FindByName } from '../named-item';
import type { ProjectItems } from '../project-items';
import type { NamedFields, NamedRecord, ProjectItem, Resource, WritableResource } from './resource';

/* The routes of standard resources. A controller extends one of these, and may have further routes. */

const ControllerOf = ({ path, chapter, collection, pathItem }: Resource): ClassDecorator =>
  applyDecorators(
    InProject({ collection, items: [pathItem] }),
    Controller(`projects/:project/${path}`),
    ApiTags(chapter),
  );

const List = ({ record, readTexts }: Resource): MethodDecorator =>
  applyDecorators(ListOperation(record, readTexts.list), Can('read'), Get());

const Show = ({ record, readTexts, type }: Resource): MethodDecorator =>
  applyDecorators(ShowOperation(record, readTexts.show), Can('read'), Get(`:${type}`));

/** It changes nothing, so read permission is enough. */
const Find = ({ record, readTexts }: Resource): MethodDecorator =>
  applyDecorators(
    FindOperation(record, FindByName, readTexts.find),
    Can('read', { ability: 'read' }),
    HttpCode(200),
    Post('find-by-name'),
  );

const Create = ({ record, writes, writeTexts }: WritableResource): MethodDecorator =>
  applyDecorators(
    CreateOperation(record, writes.create, writeTexts.create),
    Can('definitions:write'),
    Post(),
  );

const Update = (
  method: 'put' | 'patch',
  { record, writes, writeTexts, type }: WritableResource,
): MethodDecorator =>
  applyDecorators(
    UpdateOperation(record, writes.update, writeTexts[method]),
    Can('definitions:write'),
    (method === 'put' ? Put : Patch)(`:${type}`),
  );

const Remove = ({ writeTexts, type }: WritableResource): MethodDecorator =>
  applyDecorators(
    DeleteOperation(writeTexts.remove),
    Can('definitions:write'),
    HttpCode(204),
    Delete(`:${type}`),
  );

/** A controller with the routes of a resource that the API only reads. */
export function ReadOnlyController<E extends ProjectItem, R extends NamedRecord>(resource: Resource<E, R>) {
  @ControllerOf(resource)
  class ReadOnlyRoutes {
    constructor(@Inject(resource.items) readonly items: ProjectItems<E, R>) {}

    @List(resource)
    list(@InScope() scope: ProjectScope, @Query() query: RawQuery): Promise<Listed<R>> {
      return this.items.list(scope, query);
    }

    @Show(resource)
    show(@InScope() scope: ProjectScope): Promise<Shown<R>> {
      return this.items.show(scope);
    }

    @Find(resource)
    find(
      @InScope() scope: ProjectScope,
      @Submitted(FindByName) submission: Submission<FindByName>,
    ): Promise<Shown<R>> {
      return this.items.findByName(scope, submission);
    }
  }
  return ReadOnlyRoutes;
}

/** A controller with the routes of a resource that the API reads and writes. */
export function ResourceController<
  E extends ProjectItem,
  R extends NamedRecord,
  C extends NamedFields,
  U extends NamedFields,
>(resource: WritableResource<E, R, C, U>) {
  const { record, writes } = resource;

  @ControllerOf(resource)
  class ResourceRoutes {
    constructor(@Inject(resource.items) readonly items: ProjectItems<E, R, C, U>) {}

    @List(resource)
    list(@InScope() scope: ProjectScope, @Query() query: RawQuery): Promise<Listed<R>> {
      return this.items.list(scope, query);
    }

    @Create(resource)
    create(
      @InScope() scope: ProjectScope,
      @Submitted(writes.create, record) submission: Submission<C>,
    ): Promise<Created<R>> {
      return this.items.create(scope, submission);
    }

    @Find(resource)
    find(
      @InScope() scope: ProjectScope,
      @Submitted(FindByName) submission: Submission<FindByName>,
    ): Promise<Shown<R>> {
      return this.items.findByName(scope, submission);
    }

    @Show(resource)
    show(@InScope() scope: ProjectScope): Promise<Shown<R>> {
      return this.items.show(scope);
    }

    @Update('put', resource)
    put(
      @InScope() scope: ProjectScope,
      @Submitted(writes.update, record) submission: Submission<U>,
    ): Promise<Shown<R>> {
      return this.items.update(scope, submission);
    }

    @Update('patch', resource)
    patch(
      @InScope() scope: ProjectScope,
      @Submitted(writes.update, record) submission: Submission<U>,
    ): Promise<Shown<R>> {
      return this.items.update(scope, submission);
    }

    @Remove(resource)
    remove(@InScope() scope: ProjectScope): Promise<void> {
      return this.items.remove(scope);
    }
  }
  return ResourceRoutes;
}
