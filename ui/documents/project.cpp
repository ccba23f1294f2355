// SPDX-License-Identifier: GPL-3.0-or-later
// Opening, the lists of a project, and commands. What a poll does: project_poll.cpp.
#include "ui/documents/project.h"

#include <algorithm>

#include "ui/documents/project_impl.h"

namespace octet::ui {
namespace {

QString pendingText(store::CommandVerb verb) {
    switch (verb) {
        case store::CommandVerb::Pause:
            return Project::tr("pausing...");
        case store::CommandVerb::Resume:
            return Project::tr("resuming...");
        case store::CommandVerb::Stop:
            return Project::tr("stopping...");
        case store::CommandVerb::Checkpoint:
            return Project::tr("saving a checkpoint...");
        case store::CommandVerb::SetRecipe:
            return Project::tr("changing the recipe...");
    }
    return {};
}

}  // namespace

Project::Project(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {
    m_impl->timer.setInterval(kPollMs);
    connect(&m_impl->timer, &QTimer::timeout, this, &Project::poll);
    m_impl->timer.start();
}

Project::~Project() = default;

Result<std::unique_ptr<Project>> Project::open(const std::filesystem::path& path, const store::OpenProbe* probe) {
    auto impl = std::make_unique<Impl>();
    impl->path = path;
    impl->probe = probe;
    if (auto opened = impl->openReader(); !opened) return opened.error();
    if (auto looked = impl->look(); !looked.ok()) return looked.error();
    return std::unique_ptr<Project>(new Project(std::move(impl)));
}

const std::filesystem::path& Project::path() const {
    return m_impl->path;
}

QString Project::openingNote() const {
    return m_impl->reader ? QString::fromStdString(m_impl->reader->openingNote()) : QString();
}

const std::vector<store::ExperimentInfo>& Project::experiments() const {
    return m_impl->experiments;
}

const std::vector<store::RunInfo>& Project::runs() const {
    return m_impl->runs;
}

const store::RunInfo* Project::run(store::RunId id) const {
    const auto found = std::ranges::find(m_impl->runs, id, &store::RunInfo::id);
    return found == m_impl->runs.end() ? nullptr : &*found;
}

std::vector<store::LayerInfo> Project::layers(store::RunId id) const {
    auto& known = m_impl->layers[id.value];
    if (!known.empty() || !m_impl->reader) return known;
    auto read = m_impl->reader->layers(id);
    if (read) known = std::move(*read);
    return known;
}

std::vector<store::Event> Project::events(store::RunId id) const {
    auto& known = m_impl->events[id.value];
    if (!known.empty() || !m_impl->reader) return known;
    auto read = m_impl->reader->events(id);
    if (read) known = std::move(*read);
    return known;
}

std::shared_ptr<const SeriesView> Project::series(store::RunId run, const store::SeriesKey& key) {
    if (!m_impl->reader) return nullptr;
    auto followed = m_impl->follower.follow(*m_impl->reader, run, key);
    return followed ? *followed : nullptr;  // a store that can't be read says so at the next poll
}

Result<void> Project::send(store::RunId run, store::CommandVerb verb, const Json& argument) {
    const auto sent = store::sendCommand(m_impl->path, run, verb, argument, kSendPatienceMs);
    if (!sent) return sent.error();
    m_impl->sent.push_back({*sent, run, verb});
    m_impl->pending[run.value] = verb;
    emit runsChanged();
    return {};
}

QString Project::pendingCommand(store::RunId run) const {
    const auto found = m_impl->pending.find(run.value);
    return found == m_impl->pending.end() ? QString() : pendingText(found->second);
}

void Project::poll() {
    const auto looked = m_impl->look();
    const Impl::News news = std::exchange(m_impl->news, {});
    if (news.runs) emit runsChanged();
    if (news.samples) emit samplesArrived();
    if (news.events) emit eventsArrived();
    for (const Impl::SentCommand& command : news.done)
        emit commandDone(command.run, command.verb);
    for (const QString& why : news.refusals)
        emit commandRefused(why);
    reportTrouble(looked.ok() ? std::nullopt : std::optional(looked.error()));
}

void Project::reportTrouble(const std::optional<Error>& trouble) {
    const QString sentence = trouble ? sentenceOf(*trouble) : QString();
    if (sentence == m_impl->trouble) return;
    m_impl->trouble = sentence;
    if (sentence.isEmpty())
        emit recovered();
    else
        emit failed(sentence);
}

QString sentenceOf(const Error& error) {
    const QString message = QString::fromStdString(error.message);
    return error.hint.empty() ? message : message + QLatin1Char(' ') + QString::fromStdString(error.hint);
}

}  // namespace octet::ui
